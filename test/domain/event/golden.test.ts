import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { EventExposure } from '#domain/kinds/event/event-exposure.ts'
import { EventSubscription } from '#domain/kinds/event/event-subscription.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { Publisher } from '#domain/kinds/pubsub/publisher.ts'
import { Subscriber } from '#domain/kinds/pubsub/subscriber.ts'
import { planEventConfig } from '#domain/plan/event-config.ts'
import { planEventExposure } from '#domain/plan/event-exposure.ts'
import { planEventSubscription } from '#domain/plan/event-subscription.ts'
import { planEventType } from '#domain/plan/event-type.ts'
import { planPublisher } from '#domain/plan/publisher.ts'
import { planSubscriber } from '#domain/plan/subscriber.ts'
import { golden } from '#test/support/golden.ts'

golden('event-config', planEventConfig, EventConfig)
golden('event-type', planEventType, EventType)
golden('event-exposure', planEventExposure, EventExposure)
golden('event-subscription', planEventSubscription, EventSubscription)
golden('publisher', planPublisher, Publisher)
golden('subscriber', planSubscriber, Subscriber)
