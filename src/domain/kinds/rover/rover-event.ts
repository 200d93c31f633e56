import { Delivery } from '#domain/kinds/event/delivery.ts'
import { Trigger } from '#domain/kinds/event/trigger.ts'
import { visibility } from '#domain/kinds/shared.ts'
import { s, type Infer } from '#domain/schema.ts'
import { RoverApproval } from './rover-api.ts'

const eventType = s.string({
  minLength: 1,
  maxLength: 253,
  pattern: '^[a-z0-9]+([.-][a-z0-9]+)*$',
  doc: 'The event type.',
})

export const RoverEventExposure = s.object(
  {
    eventType,
    visibility: visibility('From which zones it can be subscribed to.', { default: 'Enterprise' }),
  },
  {
    approval: RoverApproval,
    scopes: s.list(
      s.object({
        name: s.string({ minLength: 1, doc: 'Name of the scope.' }),
        trigger: s.but(Trigger, { doc: 'Which events belong to it.' }),
      }),
      {
        doc: 'Named parts of the events.',
      },
    ),
    additionalPublisherIds: s.list(s.string({ minLength: 1 }), {
      doc: 'Client ids that may publish besides the application.',
    }),
  },
  { doc: 'An event type the application publishes.' },
)

export const RoverEventSubscription = s.object(
  { eventType, delivery: Delivery },
  {
    trigger: s.but(Trigger, { doc: 'What the application wants of them.' }),
    scopes: s.list(s.string({ minLength: 1 }), { doc: 'Names of selected scopes.' }),
  },
  { doc: 'An event type the application subscribes to.' },
)

export type RoverEventExposure = Infer<typeof RoverEventExposure>
export type RoverEventSubscription = Infer<typeof RoverEventSubscription>
