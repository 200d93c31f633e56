import { environmentOf, keyOf } from '#domain/environment.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import type { EventSubscriptionSpec, EventSubscriptionStatus } from './event-offer.ts'
import { type Obstacle, unmet } from './obstacle.ts'
import { defineIndex, indexKey, oldest, type View, type World } from './world.ts'

const twinKey = (environment: string, { eventType, requestor }: EventSubscriptionSpec): string =>
  indexKey(environment, eventType, requestor.namespace, requestor.name)

const subscriptionsByRequestor = defineIndex<EventSubscriptionSpec, EventSubscriptionStatus>({
  name: 'eventSubscriptionsByRequestor',
  kind: EventSubscription,
  keys: ({ metadata, spec }) => [twinKey(environmentOf(metadata.namespace ?? '', metadata.labels), spec)],
})

/** Two subscriptions of one application to one type would overwrite each other at the backend: the elder counts (decisions §8.13). */
export function elderTwin(
  self: View<EventSubscriptionSpec, EventSubscriptionStatus>,
  world: World,
  environment: string,
): Obstacle | undefined {
  const all = world.list(subscriptionsByRequestor, twinKey(environment, self.spec))
  const elder = oldest(all.filter((twin) => !twin.deleting))
  if (elder === undefined || elder.uid === self.uid) return undefined
  const { eventType } = self.spec
  return unmet(
    `EventSubscription ${keyOf(elder)} of the same application is older and subscribes to "${eventType}" already: delete one of the two`,
  )
}
