import type { EventStoreSpec, EventStoreStatus } from '#domain/kinds/pubsub/event-store.ts'
import { type Planner, provisioned } from './plan.ts'

/** It only holds how a backend is configured; whether it answers shows at each Subscriber. */
export const planEventStore: Planner<EventStoreSpec, EventStoreStatus> = () =>
  provisioned({
    status: {},
    reason: 'EventStoreReady',
    message: 'The backend is named; whether it answers is said by each Subscriber',
  })
