import { controllerOf, type Controller } from '#control/controller.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { EventStore } from '#domain/kinds/pubsub/event-store.ts'
import { Publisher } from '#domain/kinds/pubsub/publisher.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import { planEventConfig } from '#domain/plan/event-config.ts'
import { planEventExposure } from '#domain/plan/event-exposure.ts'
import { planEventStore } from '#domain/plan/event-store.ts'
import { planEventSubscription } from '#domain/plan/event-subscription.ts'
import { planEventType } from '#domain/plan/event-type.ts'
import { planPublisher } from '#domain/plan/publisher.ts'
import { planSubscriber } from '#domain/plan/subscriber.ts'
import { type BackendOptions, configurationBackend } from './actuators/configuration-backend.ts'

/** The event domain and the pub/sub kinds it makes. */
export const eventControllers = (options: BackendOptions = {}): readonly Controller[] => [
  controllerOf(EventConfig, planEventConfig),
  controllerOf(EventType, planEventType),
  controllerOf(EventExposure, planEventExposure),
  controllerOf(EventSubscription, planEventSubscription),
  controllerOf(EventStore, planEventStore),
  controllerOf(Publisher, planPublisher),
  controllerOf(Subscriber, planSubscriber, { actuator: configurationBackend(options) }),
]
