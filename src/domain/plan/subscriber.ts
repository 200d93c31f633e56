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
import { publisherName } from '#domain/names.ts'
import { refTo } from '#domain/object.ts'
import { absent, ofEnvironment } from './of-environment.ts'
import { isObstacle, isUsable, missing, notReady, type Obstacle, readinessOf, unmet } from './obstacle.ts'
import { type Planner, provisioned, waiting } from './plan.ts'
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
  /** Another Subscriber with this id will take the registration with it when it goes: it is made again afterwards. */
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

/**
 * By id and address, Subscribers that hold, or may hold, a registration they had for another type or subscriber: it goes as
 * soon as that place lets it.
 */
const subscribersByFormerPlace = defineIndex<SubscriberSpec, SubscriberStatus>({
  name: 'subscribersByFormerPlace',
  kind: Subscriber,
  keys: ({ spec, status: { subscriptionId, registration, pending = [] } = {} }) =>
    [{ subscriptionId, registration }, ...pending].flatMap(({ subscriptionId: id, registration: at }) =>
      id === undefined || at === undefined || isOf(at, spec) ? [] : [indexKey(id, at.url)],
    ),
})

const isOf = ({ eventType, subscriberId }: SubscriberRegistration, spec: SubscriberSpec): boolean =>
  subscriberId === spec.subscriberId && publisherName(eventType) === spec.publisher.name

export const identityKey = (environment: string, publisher: string, subscriberId: string): string =>
  indexKey(environment, publisher, subscriberId)

/** §6.1: one registration at the backend. */
export const planSubscriber: Planner<SubscriberSpec, SubscriberStatus> = (self, world) => {
  const environment = environmentOf(self.namespace, self.labels)
  const twins = twinsOf(self, world, environment)
  const backend = backendOf(self, world, environment)
  const stop = isObstacle(backend) ? backend : rivalOf(self, twins)
  if (isObstacle(backend) || stop !== undefined) {
    const { obstacle, message } = stop as Obstacle
    return waiting(obstacle, message, { status: lastStatus(self, world) })
  }
  const schema = schemaOf(backend.publisher, world, environment)
  if (schema !== undefined && isObstacle(schema))
    return waiting(schema.obstacle, schema.message, { status: lastStatus(self, world) })
  const wanted = effectOf(self, environment, { ...backend, schema })
  const contested = twins.length > 0 || isHeldByOthers(self, world, wanted)
  const effect: SubscriptionEffect = contested ? { ...wanted, contested } : wanted
  const message = `Registered at ${effect.registration.url}`
  return provisioned({ status: lastStatus(self, world), reason: 'SubscriberReady', message, effect })
}

/** What is registered and what may be, with the credentials that remove it today: those of then may be gone (§9.3). */
function lastStatus({ lastStatus: last }: Self, world: World): Partial<SubscriberStatus> {
  const renewed = (registration: SubscriberRegistration): SubscriberRegistration => {
    const store = world.get(EventStore, registration.eventStore)?.spec
    return store?.url === registration.url ? { ...registration, ...accessOf(store) } : registration
  }
  return {
    ...last,
    ...(last.registration && { registration: renewed(last.registration) }),
    ...(last.pending && { pending: last.pending.map((p) => ({ ...p, registration: renewed(p.registration) })) }),
  }
}

const accessOf = ({
  tokenUrl,
  clientId,
  clientSecret,
}: EventStoreSpec): Pick<SubscriberRegistration, 'tokenUrl' | 'clientId' | 'clientSecret'> => ({
  tokenUrl,
  clientId,
  ...(clientSecret && { clientSecret }),
})

interface Backend {
  readonly publisher: PublisherSpec
  readonly store: EventStoreSpec
}

function backendOf(self: Self, world: World, environment: string): Backend | Obstacle {
  const standing = self.lastStatus.registration !== undefined
  const ref = self.spec.publisher
  const publisher = ofEnvironment(world, environment, Publisher, ref)
  if (publisher === undefined) {
    const wanted = { kind: Publisher, ref, field: 'spec.publisher' }
    return absent(world, environment, wanted, 'it is made by the EventExposure of the type')
  }
  if (!isUsable(readinessOf(publisher), standing)) return notReady('Publisher', ref)
  const storeRef = publisher.spec.eventStore
  const store = world.get(EventStore, storeRef)
  if (store === undefined) return missing('EventStore', storeRef, 'it is made by the EventConfig of the zone')
  if (!isUsable(readinessOf(store), standing)) return notReady('EventStore', storeRef)
  return { publisher: publisher.spec, store: store.spec }
}

/** Event-domain §9.3: the schema is sent along when it is stored in this environment, and then it has to be JSON. */
function schemaOf(
  { jsonSchema }: PublisherSpec,
  world: World,
  environment: string,
): SubscriptionEffect['jsonSchema'] | Obstacle {
  const key = jsonSchema === undefined ? undefined : parseFileId(jsonSchema)
  const file = key === undefined ? undefined : ofEnvironment(world, environment, File, key)?.spec
  if (jsonSchema === undefined || file === undefined) return undefined
  if (!/^application\/json\b/i.test(file.contentType))
    return unmet(`File ${jsonSchema} is ${file.contentType}: the schema of a payload has to be application/json`)
  return { file: jsonSchema, checksum: file.checksum }
}

const twinsOf = (self: SubscriberView, world: World, environment: string): readonly SubscriberView[] =>
  world
    .list(subscribersByIdentity, identityKey(environment, self.spec.publisher.name, self.spec.subscriberId))
    .filter((other) => other.uid !== self.uid)

const isHeldByOthers = (self: Self, world: World, { id, registration }: SubscriptionEffect): boolean =>
  world.list(subscribersByFormerPlace, indexKey(id, registration.url)).some((other) => other.uid !== self.uid)

/** Of two Subscribers with one id the older one is registered; a new one waits until the other is gone. */
function rivalOf(self: Self, twins: readonly SubscriberView[]): Obstacle | undefined {
  const isNew = self.lastStatus.registration === undefined
  const rival = twins.find((twin) => (twin.deleting ? isNew : byAge(twin, self) < 0))
  return rival && unmet(`Subscriber ${keyOf(rival)} uses the same id at the backend: it has to go first`)
}

function effectOf(
  self: Self,
  environment: string,
  { publisher, store, schema }: Backend & { readonly schema: SubscriptionEffect['jsonSchema'] },
): SubscriptionEffect {
  const { spec } = self
  const environmentThere = store.overwriteEnvironmentName || environment
  const id = keptId(self, publisher) ?? subscriptionIdOf(environmentThere, publisher.eventType, spec.subscriberId)
  const { additionalPublisherIds = [] } = publisher
  return {
    id,
    registration: {
      eventStore: refTo(publisher.eventStore),
      url: store.url,
      environment: environmentThere,
      eventType: publisher.eventType,
      publisherId: publisher.publisherId,
      subscriberId: spec.subscriberId,
      ...(additionalPublisherIds.length > 0 && { additionalPublisherIds }),
      ...accessOf(store),
    },
    subscription: wireSubscription(id, spec, publisher),
    ...(schema && { jsonSchema: schema }),
  }
}

/** The id stays while it is about the same type and subscriber, even when the environment is renamed (§9.3). */
function keptId({ spec, lastStatus: last }: Self, publisher: PublisherSpec): string | undefined {
  const { subscriptionId, registration } = last
  const moved = registration !== undefined && !isSame(registration, publisher.eventType, spec.subscriberId)
  return moved ? undefined : subscriptionId
}

const isSame = (registration: SubscriberRegistration, eventType: string, subscriberId: string): boolean =>
  registration.eventType === eventType && registration.subscriberId === subscriberId
