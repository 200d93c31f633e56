import { environmentOf, keyOf } from '#domain/environment.ts'
import { parseFileId } from '#domain/file-id.ts'
import { File } from '#domain/kinds/files/file.ts'
import { EventStore, type EventStoreSpec } from '#domain/kinds/pubsub/event-store.ts'
import { Publisher, type PublisherSpec } from '#domain/kinds/pubsub/publisher.ts'
import {
  Subscriber,
  type SubscriberRegistration,
  type SubscriberSpec,
  type SubscriberStatus,
} from '#domain/kinds/pubsub/subscriber.ts'
import { refTo } from '#domain/object.ts'
import { isObstacle, isUsable, missing, notReady, type Obstacle, readinessOf, unmet } from './obstacle.ts'
import { type Plan, type Planner, provisioned, waiting } from './plan.ts'
import { subscriptionIdOf, type WireSubscription, wireSubscription } from './subscriber-body.ts'
import { byAge, defineIndex, indexKey, type OwnView, type View, type World } from './world.ts'

type SubscriberView = View<SubscriberSpec, SubscriberStatus>
type Self = OwnView<SubscriberSpec, SubscriberStatus>

/** What should be registered, and where. Plain data for the actuator. */
export interface SubscriptionEffect {
  readonly id: string
  /** Where, and with which credentials; kept in the status once it is done. */
  readonly registration: SubscriberRegistration
  readonly subscription: WireSubscription
  /** The file with the schema of the payload; the checksum makes a new version of it a new effect. */
  readonly jsonSchema?: { readonly file: string; readonly checksum: string }
  /** Another Subscriber with this id is about to go and takes the registration with it: it is made again afterwards. */
  readonly contested?: true
}

/** Subscribers that would share one id at the backend (decisions §8.13). */
export const subscribersByIdentity = defineIndex<SubscriberSpec, SubscriberStatus>({
  name: 'subscribersByIdentity',
  kind: Subscriber,
  keys: ({ metadata, spec }) => [
    identityKey(environmentOf(metadata.namespace ?? '', metadata.labels), spec.publisher.name, spec.subscriberId),
  ],
})

export const identityKey = (environment: string, publisher: string, subscriberId: string): string =>
  indexKey(environment, publisher, subscriberId)

/** §6.1: one registration at the backend. */
export const planSubscriber: Planner<SubscriberSpec, SubscriberStatus> = (self, world) => {
  const environment = environmentOf(self.namespace, self.labels)
  const twins = twinsOf(self, world, environment)
  const backend = backendOf(self, world)
  const stop = isObstacle(backend) ? backend : rivalOf(self, twins)
  if (isObstacle(backend) || stop !== undefined) {
    const { obstacle, message } = stop as Obstacle
    return waiting(obstacle, message, { status: self.lastStatus })
  }
  const schema = schemaOf(backend.publisher, world)
  if (schema !== undefined && isObstacle(schema))
    return waiting(schema.obstacle, schema.message, { status: self.lastStatus })
  return register(self, environment, { ...backend, schema }, twins.length > 0)
}

interface Backend {
  readonly publisher: PublisherSpec
  readonly store: EventStoreSpec
}

function backendOf(self: Self, world: World): Backend | Obstacle {
  const standing = self.lastStatus.registration !== undefined
  const ref = self.spec.publisher
  const publisher = world.get(Publisher, ref)
  if (publisher === undefined) return missing('Publisher', ref, 'it is made by the EventExposure of the type')
  if (!isUsable(readinessOf(publisher), standing)) return notReady('Publisher', ref)
  const storeRef = publisher.spec.eventStore
  const store = world.get(EventStore, storeRef)
  if (store === undefined) return missing('EventStore', storeRef, 'it is made by the EventConfig of the zone')
  if (!isUsable(readinessOf(store), standing)) return notReady('EventStore', storeRef)
  return { publisher: publisher.spec, store: store.spec }
}

/** Event-domain §9.3: the schema is sent along when it is stored here, and then it has to be JSON. */
function schemaOf({ jsonSchema }: PublisherSpec, world: World): SubscriptionEffect['jsonSchema'] | Obstacle {
  const key = jsonSchema === undefined ? undefined : parseFileId(jsonSchema)
  const file = key === undefined ? undefined : world.get(File, key)?.spec
  if (jsonSchema === undefined || file === undefined) return undefined
  if (!/^application\/json\b/i.test(file.contentType))
    return unmet(`File ${jsonSchema} is ${file.contentType}: the schema of a payload has to be application/json`)
  return { file: jsonSchema, checksum: file.checksum }
}

const twinsOf = (self: SubscriberView, world: World, environment: string): readonly SubscriberView[] =>
  world
    .list(subscribersByIdentity, identityKey(environment, self.spec.publisher.name, self.spec.subscriberId))
    .filter((other) => other.uid !== self.uid)

/** Of two Subscribers with one id the older one is registered; a new one waits until the other is gone. */
function rivalOf(self: Self, twins: readonly SubscriberView[]): Obstacle | undefined {
  const isNew = self.lastStatus.registration === undefined
  const rival = twins.find((twin) => (twin.deleting ? isNew : byAge(twin, self) < 0))
  return rival && unmet(`Subscriber ${keyOf(rival)} uses the same id at the backend: it has to go first`)
}

function register(
  self: Self,
  environment: string,
  { publisher, store, schema }: Backend & { readonly schema: SubscriptionEffect['jsonSchema'] },
  contested: boolean,
): Plan<SubscriberStatus> {
  const { spec } = self
  const environmentThere = store.overwriteEnvironmentName || environment
  const id = keptId(self, publisher) ?? subscriptionIdOf(environmentThere, publisher.eventType, spec.subscriberId)
  const { url, tokenUrl, clientId, clientSecret } = store
  const effect: SubscriptionEffect = {
    id,
    registration: {
      eventStore: refTo(publisher.eventStore),
      url,
      environment: environmentThere,
      eventType: publisher.eventType,
      publisherId: publisher.publisherId,
      subscriberId: spec.subscriberId,
      tokenUrl,
      clientId,
      ...(clientSecret && { clientSecret }),
    },
    subscription: wireSubscription(id, spec, publisher),
    ...(schema && { jsonSchema: schema }),
    ...(contested && { contested }),
  }
  return provisioned({ status: self.lastStatus, reason: 'SubscriberReady', message: `Registered at ${url}`, effect })
}

/** The id stays while it is about the same type and subscriber, even when the environment is renamed (§9.3). */
function keptId({ spec, lastStatus }: Self, publisher: PublisherSpec): string | undefined {
  const { subscriptionId, registration } = lastStatus
  const moved = registration !== undefined && !isSame(registration, publisher.eventType, spec.subscriberId)
  return moved ? undefined : subscriptionId
}

const isSame = (registration: SubscriberRegistration, eventType: string, subscriberId: string): boolean =>
  registration.eventType === eventType && registration.subscriberId === subscriberId
