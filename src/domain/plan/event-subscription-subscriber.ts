import { publisherTrigger } from '#domain/filters/publisher-trigger.ts'
import type { Trigger } from '#domain/filters/trigger.ts'
import {
  Subscriber,
  type SubscriberDelivery,
  type SubscriberSpec,
  type SubscriberTrigger,
} from '#domain/kinds/pubsub/subscriber.ts'
import { labelValue } from '#domain/names.ts'
import { label, type Named, type ObjectRef, refTo } from '#domain/object.ts'
import { effectiveCallback } from '#domain/topology/callback.ts'
import type { EventSubscriptionSpec } from './event-offer.ts'
import type { Terms } from './event-subscription-checks.ts'
import { type Child, child } from './plan.ts'

/** Delivery as the backend gets it; the subscription's own spec stays as its owner wrote it. */
export function subscriberChild(
  self: { readonly spec: EventSubscriptionSpec },
  ref: Named,
  terms: Terms,
  publisher: ObjectRef,
): Child<typeof Subscriber> {
  const { scopes = [], trigger, eventType, requestor } = self.spec
  const published = publisherTrigger(terms.offer.scopes, scopes)
  const spec: SubscriberSpec = {
    publisher: refTo(publisher),
    subscriberId: terms.requestor.clientId,
    delivery: deliveryOf(self.spec.delivery, terms.ingress),
    ...(trigger && { trigger: complete(trigger) }),
    ...(published && { publisherTrigger: complete(published) }),
    ...(scopes.length > 0 && { appliedScopes: [...new Set(scopes)] }),
  }
  const labels = { [label('application')]: labelValue(requestor.name), [label('eventtype')]: labelValue(eventType) }
  return child(Subscriber, { ...ref, labels, spec })
}

function deliveryOf(delivery: EventSubscriptionSpec['delivery'], ingress: string | undefined): SubscriberDelivery {
  const { callback, ...rest } = delivery
  if (ingress === undefined || callback === undefined) return rest
  return { ...rest, callback: effectiveCallback(ingress, callback) }
}

function complete({ responseFilter, selectionFilter }: Trigger): SubscriberTrigger {
  const { mode = 'Include', paths } = responseFilter ?? {}
  return {
    ...(responseFilter && { responseFilter: { mode, ...(paths && { paths }) } }),
    ...(selectionFilter && { selectionFilter }),
  }
}
