import { environmentOf } from '#domain/environment.ts'
import type { SpecOf, StatusOf } from '#domain/kind.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { type ObjectRef, refTo, type Resource } from '#domain/object.ts'
import { isUsable, readinessOf, type Stage } from './obstacle.ts'
import { defineAggregate, defineIndex, indexKey, oldest, type World } from './world.ts'

export type EventExposureSpec = SpecOf<typeof EventExposure>
export type EventExposureStatus = StatusOf<typeof EventExposure>
export type EventSubscriptionSpec = SpecOf<typeof EventSubscription>
export type EventSubscriptionStatus = StatusOf<typeof EventSubscription>

const environmentOfResource = (r: Resource<any, any>): string =>
  environmentOf(r.metadata.namespace ?? '', r.metadata.labels)

export const exposuresByType = defineIndex<EventExposureSpec, EventExposureStatus>({
  name: 'eventExposuresByType',
  kind: EventExposure,
  keys: (exposure) => [indexKey(environmentOfResource(exposure), exposure.spec.eventType)],
})

/** The exposure in force for a type: the oldest that is not being deleted (decisions §4.5). */
export function exposureInForce(world: World, environment: string, type: string): ObjectRef | undefined {
  const exposures = world.list(exposuresByType, indexKey(environment, type))
  const exposure = oldest(exposures.filter((e) => !e.deleting))
  return exposure && refTo(exposure)
}

/** What subscribers of a type build on. */
export interface Offer {
  readonly ref: ObjectRef
  readonly zone: ObjectRef
  readonly visibility: EventExposureSpec['visibility']
  readonly scopes: NonNullable<EventExposureSpec['scopes']>
  readonly approval: EventExposureSpec['approval']
  readonly provider: EventExposureSpec['provider']
  readonly active: boolean
  readonly publisher: ObjectRef | undefined
}

export function offerOf(world: World, environment: string, type: string): Offer | undefined {
  const ref = world.derive(exposureInForce, environment, type)
  const exposure = ref && world.get(EventExposure, ref)
  if (exposure === undefined) return undefined
  const { zone, visibility, scopes = [], approval, provider } = exposure.spec
  const { active = false, publisher } = exposure.status
  return {
    ref: refTo(exposure),
    zone: refTo(zone),
    visibility,
    scopes,
    approval,
    provider,
    active,
    publisher,
  }
}

/** Decisions §4.4: an exposure that is still being provisioned is usable, one that is blocked is not. */
export function offerIsUsable(world: World, environment: string, type: string, stage: Stage): boolean {
  const ref = world.derive(exposureInForce, environment, type)
  const exposure = ref && world.get(EventExposure, ref)
  if (exposure === undefined) return false
  const readiness = readinessOf(exposure)
  return readiness === 'provisioning' || isUsable(readiness, stage === 'standing')
}

/** Apart from the offer, so that a new zone with live streams does not concern the subscribers of others. */
export function sseUrlOf(world: World, environment: string, type: string, zone: string): string | undefined {
  const ref = world.derive(exposureInForce, environment, type)
  const urls = (ref && world.get(EventExposure, ref))?.status.sseUrls ?? {}
  return Object.hasOwn(urls, zone) ? urls[zone] : undefined
}

/**
 * The zones in which a type is streamed: those of subscriptions that are granted or already provisioned, so that a
 * pending change does not end a running stream (§4.3). As `namespace/name` of the Zone.
 */
export const sseZonesByType = defineAggregate<EventSubscriptionSpec, EventSubscriptionStatus>({
  name: 'sseZonesByType',
  kind: EventSubscription,
  entries: (subscription) => {
    const { spec, metadata } = subscription
    if (spec.delivery.type !== 'ServerSentEvent' || metadata.deletionTimestamp !== undefined) return []
    if (!isServed(subscription)) return []
    const value = `${spec.zone.namespace}/${spec.zone.name}`
    return [{ key: indexKey(environmentOfResource(subscription), spec.eventType), value }]
  },
})

const isServed = ({ status }: Resource<EventSubscriptionSpec, EventSubscriptionStatus>): boolean =>
  status?.subscriber !== undefined ||
  status?.conditions?.some((c) => c.type === 'ApprovalGranted' && c.status === 'True') === true
