import { Delivery } from '#domain/kinds/event/delivery.ts'
import { Trigger } from '#domain/kinds/event/trigger.ts'
import { defineKind, READY_COLUMNS, ref } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Spec = s.object(
  {
    publisher: ref('Whose events are delivered.'),
    subscriberId: s.string({ minLength: 1, doc: 'Client id of the subscribing application.' }),
    delivery: Delivery,
  },
  {
    trigger: s.but(Trigger, { doc: 'What the subscriber wants of them.' }),
    publisherTrigger: s.but(Trigger, { doc: 'What the scopes of the exposure let through.' }),
    appliedScopes: s.list(s.string(), { doc: 'The scopes that are in force.' }),
  },
)

/** Enough to remove the registration again when Publisher and EventStore have changed or gone (decisions §8.6). */
const Registration = s.object(
  {
    eventStore: ref('The backend it was registered at.'),
    url: s.string({ doc: 'Its address then.' }),
    environment: s.string({ doc: 'The environment as the backend knows it.' }),
    eventType: s.string({ doc: 'The event type.' }),
    publisherId: s.string({ doc: 'The publisher.' }),
    subscriberId: s.string({ doc: 'The subscriber.' }),
  },
  {
    tokenUrl: s.string({ doc: 'Where tokens for that backend come from.' }),
    clientId: s.string({ doc: 'Client used to configure that backend.' }),
    clientSecret: s.string({ secret: 'given', doc: 'Reference to the secret of that client.' }),
    additionalPublisherIds: s.list(s.string(), { doc: 'Further publishers.' }),
  },
  { doc: 'What is registered at the configuration backend.' },
)
/** Written down before the call: should nobody hear how it ended, it is still known what may have to be removed. */
const Pending = s.object({ subscriptionId: s.string({ doc: 'Its id there.' }), registration: Registration })
const Status = s.object(
  {},
  {
    subscriptionId: s.string({ doc: 'Id at the backend; never changes once set.' }),
    registration: Registration,
    pending: s.list(Pending, {
      doc: 'What is being registered, or may have been although the backend did not say so.',
    }),
  },
)

export type SubscriberDelivery = Infer<typeof Delivery>
export type SubscriberTrigger = Infer<typeof Trigger>
export type SubscriberRegistration = Infer<typeof Registration>
export type SubscriberPending = Infer<typeof Pending>
export type SubscriberSpec = Infer<typeof Spec>
export type SubscriberStatus = Infer<typeof Status>

export const Subscriber = defineKind<SubscriberSpec, SubscriberStatus>({
  group: 'pubsub.cp.ei.vendor.de',
  kind: 'Subscriber',
  plural: 'subscribers',
  doc: 'One registration at the event backend.',
  spec: s.but(Spec, { doc: 'Whose events are delivered to whom, how, and which of them.' }),
  status: s.but(Status, { doc: 'What is registered at the event backend.' }),
  columns: [
    { name: 'Publisher', type: 'string', path: '.spec.publisher.name' },
    { name: 'Subscriber', type: 'string', path: '.spec.subscriberId' },
    { name: 'Delivery', type: 'string', path: '.spec.delivery.type' },
    { name: 'Subscription Id', type: 'string', path: '.status.subscriptionId', priority: 1 },
    ...READY_COLUMNS,
  ],
  written: 'by-platform',
})
export type Subscriber = Resource<SubscriberSpec, SubscriberStatus>
