import { blocked, notReady as notReadyVerdict } from '#domain/condition.ts'
import { environmentOf, keyOf, zoneNamespace } from '#domain/environment.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { adviceOnEventExposure, EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { EventStore } from '#domain/kinds/pubsub/event-store.ts'
import { Publisher, type PublisherSpec } from '#domain/kinds/pubsub/publisher.ts'
import { labelValue, publisherName } from '#domain/names.ts'
import { label, type ObjectRef, refTo } from '#domain/object.ts'
import { advised } from './advised.ts'
import { type EventExposureSpec, type EventExposureStatus, exposureInForce } from './event-offer.ts'
import { type Party, party } from './party.ts'
import { planStreams, type Streams } from './event-sse.ts'
import { typeInForce } from './event-type.ts'
import { configAt } from './event-zones.ts'
import { zoneAt } from './zone-links.ts'
import { absent } from './of-environment.ts'
import { isObstacle, isUsable, notReady, type Obstacle, readinessOf, unmet } from './obstacle.ts'
import { type Child, child, denied, type Plan, type Planner, provisioned, waiting } from './plan.ts'
import type { View, World } from './world.ts'

type ExposureView = View<EventExposureSpec, EventExposureStatus>

/** §2.6, §4.3: makes the events of one type available. */
export const planEventExposure: Planner<EventExposureSpec, EventExposureStatus> = advised(
  adviceOnEventExposure,
  (self, world) => {
    const environment = environmentOf(self.namespace, self.labels)
    const { eventType } = self.spec
    const type = world.derive(typeInForce, environment, eventType)
    if (type === undefined) return untyped(self)
    const inForce = world.derive(exposureInForce, environment, eventType)
    if (inForce !== undefined && !(inForce.name === self.name && inForce.namespace === self.namespace))
      return superseded(self, world, inForce)
    const site = siteOf(self, world, environment)
    if (isObstacle(site)) return held(self, site, true)
    const publisher = publisherChild(self, site, world.get(EventType, type)?.spec.specification)
    return expose(self, site, publisher, planStreams(self, world, environment))
  },
)

/** Decisions §4.5: a gap in the registry of types hands nothing over. */
const untyped = (self: ExposureView): Plan<EventExposureStatus> =>
  held(self, unmet(`No EventType registers "${self.spec.eventType}": create one`), self.status.active ?? false)

function held(self: ExposureView, { obstacle, message }: Obstacle, active: boolean): Plan<EventExposureStatus> {
  return waiting(obstacle, message, { status: { ...self.status, active } })
}

/** Another exposure is in force: what this one had is taken over or goes. */
function superseded(self: ExposureView, world: World, inForce: ObjectRef): Plan<EventExposureStatus> {
  const team = world.get(EventExposure, inForce)?.spec.provider.namespace ?? inForce.namespace
  const message = `EventExposure ${keyOf(inForce)} of ${team} is older and already exposes "${self.spec.eventType}": delete one of the two`
  const plan = denied('PreconditionNotMet', message, { status: { active: false } })
  return { ...plan, conditions: [notReadyVerdict('PreconditionNotMet', message), blocked(message)] }
}

interface Site {
  readonly eventStore: ObjectRef
  readonly callbackURL: string
  readonly publishURL: string
  readonly provider: Party
}

function siteOf(self: ExposureView, world: World, environment: string): Site | Obstacle {
  const { zone: ref, provider: providerRef } = self.spec
  const standing = self.status.publisher !== undefined
  const zone = zoneAt(world, environment, ref)
  if (zone === undefined)
    return absent(world, environment, { kind: Zone, ref, field: 'spec.zone' }, 'create it or correct spec.zone')
  if (!isUsable(readinessOf(zone), standing)) return notReady('Zone', ref)
  const config = configAt(world, environment, ref.name)
  if (config === undefined)
    return unmet(
      `Zone ${keyOf(ref)} has no EventConfig: create one in namespace ${zoneNamespace(environment, ref.name)}`,
    )
  if (!isUsable(readinessOf(config), standing)) return notReady('EventConfig', config)
  const { eventStore, callbackUrl = '', publishUrl = '' } = config.status
  const store = eventStore && world.get(EventStore, eventStore)
  if (eventStore === undefined || store === undefined)
    return unmet(`EventConfig ${keyOf(config)} has no EventStore yet`)
  if (!store.ready) return notReady('EventStore', eventStore)
  const provider = party(world, environment, 'provider', providerRef)
  if (isObstacle(provider)) return provider
  return { eventStore: refTo(eventStore), callbackURL: callbackUrl, publishURL: publishUrl, provider }
}

function expose(
  self: ExposureView,
  { eventStore, callbackURL, publishURL }: Site,
  publisher: Child,
  streams: Streams | Obstacle,
): Plan<EventExposureStatus> {
  const facts = { active: true, callbackURL, publishURL, publisher: refTo(publisher) }
  if (isObstacle(streams)) {
    const status = { ...self.status, ...facts }
    return waiting(streams.obstacle, streams.message, { children: [publisher], status })
  }
  const message = [`Published to EventStore ${keyOf(eventStore)}`, ...streams.notes].join('; ')
  const children = [publisher, ...streams.children]
  return provisioned({ children, keep: streams.keep, status: { ...facts, ...streams.status }, message })
}

function publisherChild(self: ExposureView, { eventStore, provider }: Site, jsonSchema: string | undefined): Child {
  const { eventType, zone, additionalPublisherIds = [] } = self.spec
  const additional = [...new Set(additionalPublisherIds)].filter((id) => id !== '')
  const spec: PublisherSpec = {
    eventStore,
    eventType,
    publisherId: provider.clientId,
    ...(additional.length > 0 && { additionalPublisherIds: additional }),
    ...(jsonSchema && { jsonSchema }),
  }
  const labels = {
    [label('application')]: labelValue(self.spec.provider.name),
    [label('eventtype')]: labelValue(eventType),
    [label('zone')]: zone.name,
  }
  return child(Publisher, { namespace: eventStore.namespace, name: publisherName(eventType), labels, spec })
}
