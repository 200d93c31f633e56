import { defineKind, READY_COLUMNS, ref, type ResourceOf, TypedRefSchema } from '#domain/kind.ts'
import { type Infer, s } from '#domain/schema.ts'
import { aboutDuplicates, advise, quote, when } from '#domain/kinds/advice.ts'
import { Delivery } from './delivery.ts'
import { adviceOnName, eventTypeName } from './event-type-name.ts'
import { Trigger } from './trigger.ts'

const Spec = s.object(
  {
    delivery: Delivery,
    eventType: eventTypeName('The type of the events subscribed to.'),
    requestor: s.but(TypedRefSchema, { doc: 'The subscribing application.' }),
    zone: ref('The zone of the subscriber.'),
  },
  {
    scopes: s.list(s.string(), { doc: 'Names of the selected scopes.' }),
    trigger: s.but(Trigger, { doc: 'Filtering on the side of the subscriber.' }),
  },
  { doc: 'What is subscribed to, by whom, and how it is delivered.' },
)

const Status = s.object(
  {},
  {
    activeScopes: s.list(s.string(), { doc: 'The scopes in force.' }),
    approval: ref('The approval of this subscription.'),
    approvalRequest: ref('The request for approval.'),
    subscriber: ref('The subscriber in the runtime configuration.'),
    subscriptionID: s.string({ doc: 'ID of the subscription at the event backend.' }),
    url: s.uri({ doc: 'Where the subscriber reads the live stream, or where callbacks enter.' }),
  },
)

/** Declares that an application subscribes to events of one type (§2.7). */
export const EventSubscription = defineKind({
  group: 'event.cp.ei.vendor.de',
  kind: 'EventSubscription',
  plural: 'eventsubscriptions',
  shortNames: ['evsub'],
  doc: 'Declares that an application subscribes to events of one type: delivery, filtering and scopes.',
  spec: Spec,
  status: s.but(Status, {
    doc: 'How far the subscription is: its approval, its registration at the event backend and its address.',
  }),
  columns: [
    { name: 'Type', type: 'string', path: '.spec.eventType' },
    { name: 'Requestor', type: 'string', path: '.spec.requestor.name' },
    { name: 'Delivery', type: 'string', path: '.spec.delivery.type' },
    { name: 'Callback', type: 'string', path: '.spec.delivery.callback', priority: 1 },
    { name: 'URL', type: 'string', path: '.status.url', priority: 1 },
    { name: 'Approval', type: 'string', path: '.status.approval.name', priority: 1 },
    { name: 'Zone', type: 'string', path: '.spec.zone.name' },
    ...READY_COLUMNS,
  ],
  admit: advise(adviceOnEventSubscription),
})
export type EventSubscription = ResourceOf<typeof EventSubscription>

export function adviceOnEventSubscription({ delivery, eventType, scopes }: Infer<typeof Spec>): readonly string[] {
  return [
    ...adviceOnName('spec.eventType', eventType),
    ...adviceOnAddress(delivery),
    ...adviceOnDelivery(delivery),
    ...aboutDuplicates('spec.scopes', scopes),
  ]
}

function adviceOnAddress({ type, callback }: Infer<typeof Delivery>): readonly string[] {
  return [
    ...when(
      type === 'Callback' && callback === undefined,
      () =>
        'spec.delivery.callback is absent but spec.delivery.type is Callback: give the address to push events to, or set type to ServerSentEvent',
    ),
    ...when(
      type === 'ServerSentEvent' && callback !== undefined,
      () =>
        'spec.delivery.callback has no effect with spec.delivery.type ServerSentEvent: remove it, or set type to Callback',
    ),
  ]
}

const RETENTION = new Set(['7d', '5d', '3d', '1d', '1h'])

function adviceOnDelivery(delivery: Infer<typeof Delivery>): readonly string[] {
  const { eventRetentionTime: retention, redeliveriesPerSecond: rate, retryableStatusCodes: codes } = delivery
  return [
    ...when(
      retention !== undefined && !RETENTION.has(retention.toLowerCase()),
      () =>
        `spec.delivery.eventRetentionTime ${quote(retention ?? '')} is not known and means 7d: use 7d, 5d, 3d, 1d or 1h`,
    ),
    ...when(
      rate !== undefined && rate < 1,
      () => `spec.delivery.redeliveriesPerSecond ${rate} sets no limit: use 1 or more, or leave it out`,
    ),
    ...when(
      codes?.some((code) => code < 100 || code > 599) === true,
      () =>
        'spec.delivery.retryableStatusCodes names a code outside 100 to 599, which no HTTP answer carries: remove it',
    ),
  ]
}
