import { environmentOf } from '#domain/environment.ts'
import { EventStore } from '#domain/kinds/pubsub/event-store.ts'
import type { PublisherSpec, PublisherStatus } from '#domain/kinds/pubsub/publisher.ts'
import { notReady } from './obstacle.ts'
import { absent, ofEnvironment } from './of-environment.ts'
import { type Planner, provisioned, waiting } from './plan.ts'

export const planPublisher: Planner<PublisherSpec, PublisherStatus> = (self, world) => {
  const ref = self.spec.eventStore
  const environment = environmentOf(self.namespace, self.labels)
  const store = ofEnvironment(world, environment, EventStore, ref)
  if (store?.ready === true)
    return provisioned({ status: {}, reason: 'PublisherReady', message: 'Events of this type can be published' })
  const wanted = { kind: EventStore, ref, field: 'spec.eventStore' }
  const { obstacle, message } =
    store === undefined
      ? absent(world, environment, wanted, 'it is made by the EventConfig of the zone')
      : notReady('EventStore', ref)
  return waiting(obstacle, message, { status: {} })
}
