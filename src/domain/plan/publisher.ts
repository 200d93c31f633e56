import { EventStore } from '#domain/kinds/pubsub/event-store.ts'
import type { PublisherSpec, PublisherStatus } from '#domain/kinds/pubsub/publisher.ts'
import { missing, notReady } from './obstacle.ts'
import { type Planner, provisioned, waiting } from './plan.ts'

export const planPublisher: Planner<PublisherSpec, PublisherStatus> = (self, world) => {
  const ref = self.spec.eventStore
  const store = world.get(EventStore, ref)
  if (store?.ready === true)
    return provisioned({ status: {}, reason: 'PublisherReady', message: 'Events of this type can be published' })
  const { obstacle, message } =
    store === undefined
      ? missing('EventStore', ref, 'it is made by the EventConfig of the zone')
      : notReady('EventStore', ref)
  return waiting(obstacle, message, { status: {} })
}
