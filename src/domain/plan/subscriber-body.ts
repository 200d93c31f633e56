import { sha1 } from '@noble/hashes/legacy.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Trigger } from '#domain/filters/trigger.ts'
import type { SubscriberSpec } from '#domain/kinds/pubsub/subscriber.ts'

/** The id under which a backend knows a subscription; a stored one is used for ever (event-domain §9.3). */
export const subscriptionIdOf = (environment: string, eventType: string, subscriberId: string): string =>
  bytesToHex(sha1(utf8ToBytes(`${environment}--${eventType}--${subscriberId}`)))

/** A trigger as the configuration backend wants it. */
export interface WireTrigger {
  readonly responseFilterMode?: 'INCLUDE' | 'EXCLUDE'
  readonly responseFilter?: readonly string[]
  readonly selectionFilter?: Readonly<Record<string, string>>
  readonly advancedSelectionFilter?: Readonly<Record<string, unknown>>
}

/** `spec.subscription` of the configuration backend's resource (event-domain §10). */
export interface WireSubscription {
  readonly subscriptionId: string
  readonly subscriberId: string
  readonly publisherId: string
  readonly type: string
  readonly deliveryType: 'callback' | 'server_sent_event'
  readonly payloadType: 'data' | 'data_ref'
  readonly callback?: string
  readonly additionalPublisherIds?: readonly string[]
  readonly appliedScopes?: readonly string[]
  readonly eventRetentionTime?: string
  readonly circuitBreakerOptOut?: true
  readonly retryableStatusCodes?: readonly number[]
  readonly redeliveriesPerSecond?: number
  readonly enforceGetHttpRequestMethodForHealthCheck?: true
  /** The schema of the payload itself; the plan knows only which file it is. */
  readonly jsonSchema?: string
  readonly trigger?: WireTrigger
  readonly publisherTrigger?: WireTrigger
}

export interface Published {
  readonly eventType: string
  readonly publisherId: string
  readonly additionalPublisherIds?: readonly string[] | undefined
}

/** In the order of the contract; what is empty is left out, and the two switches are sent only when they are on. */
export function wireSubscription(id: string, spec: SubscriberSpec, published: Published): WireSubscription {
  const { delivery, trigger, publisherTrigger } = spec
  return {
    subscriptionId: id,
    subscriberId: spec.subscriberId,
    publisherId: published.publisherId,
    type: published.eventType,
    deliveryType: delivery.type === 'Callback' ? 'callback' : 'server_sent_event',
    payloadType: delivery.payload === 'Data' ? 'data' : 'data_ref',
    ...(delivery.callback && { callback: delivery.callback }),
    ...(filled(published.additionalPublisherIds) && { additionalPublisherIds: published.additionalPublisherIds }),
    ...(filled(spec.appliedScopes) && { appliedScopes: spec.appliedScopes }),
    ...wireOptions(delivery),
    ...(trigger && { trigger: wireTrigger(trigger) }),
    ...(publisherTrigger && { publisherTrigger: wireTrigger(publisherTrigger) }),
  }
}

function wireOptions(delivery: SubscriberSpec['delivery']): Partial<WireSubscription> {
  const { eventRetentionTime, retryableStatusCodes, redeliveriesPerSecond } = delivery
  return {
    ...(eventRetentionTime && { eventRetentionTime }),
    ...(delivery.circuitBreakerOptOut && { circuitBreakerOptOut: true }),
    ...(filled(retryableStatusCodes) && { retryableStatusCodes }),
    ...(redeliveriesPerSecond !== undefined && { redeliveriesPerSecond }),
    ...(delivery.enforceGetHttpRequestMethodForHealthCheck && { enforceGetHttpRequestMethodForHealthCheck: true }),
  }
}

/** An empty trigger stays an empty object. */
export function wireTrigger({ responseFilter, selectionFilter }: Trigger): WireTrigger {
  return {
    ...(responseFilter && { responseFilterMode: responseFilter.mode === 'Exclude' ? 'EXCLUDE' : 'INCLUDE' }),
    ...(filled(responseFilter?.paths) && { responseFilter: responseFilter.paths }),
    ...(Object.keys(selectionFilter?.attributes ?? {}).length > 0 && { selectionFilter: selectionFilter?.attributes }),
    ...(selectionFilter?.expression && { advancedSelectionFilter: selectionFilter.expression }),
  } as WireTrigger
}

const filled = <T>(list: readonly T[] | undefined): list is readonly T[] => list !== undefined && list.length > 0
