import type { Kind } from '#domain/kind.ts'
import { ApiSubscription } from './api/api-subscription.ts'
import { EventConfig } from './event/event-config.ts'
import { EventExposure } from './event/event-exposure.ts'
import { EventSubscription } from './event/event-subscription.ts'
import { EventType } from './event/event-type.ts'
import { ApiSpecification } from './rover/api-specification.ts'

/** Every kind the control plane serves, written out. */
export const KINDS: readonly Kind[] = [
  ApiSpecification,
  ApiSubscription,
  EventConfig,
  EventExposure,
  EventSubscription,
  EventType,
]
