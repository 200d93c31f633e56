import { defineKind, READY_COLUMNS, ref, refs, type ResourceOf, TypedRefSchema } from '#domain/kind.ts'
import { type Infer, s } from '#domain/schema.ts'
import { aboutDuplicates, advise } from '#domain/kinds/advice.ts'
import { adviceOnName, eventTypeName } from './event-type-name.ts'
import { Trigger } from './trigger.ts'

const Approval = s.object(
  {
    strategy: s.oneOf(['Auto', 'Simple', 'FourEyes'], {
      default: 'Simple',
      doc: 'Auto grants at once, Simple needs one decision, FourEyes two by different people.',
    }),
  },
  {
    trustedTeams: s.list(s.string(), {
      minItems: 0,
      maxItems: 10,
      doc: 'Teams whose subscriptions are granted at once.',
    }),
  },
  { doc: 'How subscriptions to this event are approved; may be empty.' },
)

const Scope = s.object(
  {
    name: s.string({ minLength: 1, doc: 'Name by which subscribers select the scope.' }),
    trigger: s.but(Trigger, { doc: 'Which events belong to the scope and what of them is shown.' }),
  },
  {},
  { doc: 'A named part of the events.' },
)

const Spec = s.object(
  {
    approval: Approval,
    eventType: eventTypeName('The type of the events published.'),
    provider: s.but(TypedRefSchema, { doc: 'The providing application.' }),
    visibility: s.oneOf(['World', 'Zone', 'Enterprise'], {
      default: 'Enterprise',
      doc: 'From where the events can be subscribed to.',
    }),
    zone: ref('The zone in which the events are published.'),
  },
  {
    additionalPublisherIds: s.list(s.string(), { doc: 'IDs of further publishers of these events.' }),
    scopes: s.list(Scope, { doc: 'Named scopes with filtering on the side of the publisher.' }),
  },
  { doc: 'What is published, by whom and for whom.' },
)

const Status = s.object(
  { active: s.boolean({ doc: 'Whether this is the exposure in force for its type.' }) },
  {
    callbackURL: s.string({ doc: 'Effective callback URL for subscribers of the same zone.' }),
    proxyRoutes: refs('SSE routes in the zones of subscribers.'),
    publishURL: s.string({ doc: 'Where events are published.' }),
    publisher: ref('The publisher in the runtime configuration.'),
    route: ref('The primary SSE route.'),
    sseUrls: s.map(s.string(), { doc: 'Addresses of the live stream by name of the zone.' }),
  },
)

/** Declares that an application publishes events of one type (§2.6). */
export const EventExposure = defineKind({
  group: 'event.cp.ei.vendor.de',
  kind: 'EventExposure',
  plural: 'eventexposures',
  shortNames: ['evexp'],
  doc: 'Declares that an application publishes events of one type, making them available for subscription.',
  spec: Spec,
  status: s.but(Status, {
    doc: 'Whether the exposure is the active one of its type, and where events are published and read.',
  }),
  columns: [
    { name: 'Type', type: 'string', path: '.spec.eventType' },
    { name: 'Provider', type: 'string', path: '.spec.provider.name' },
    { name: 'Visibility', type: 'string', path: '.spec.visibility', priority: 1 },
    { name: 'Approval', type: 'string', path: '.spec.approval.strategy', priority: 1 },
    { name: 'Publish URL', type: 'string', path: '.status.publishURL', priority: 1 },
    { name: 'Active', type: 'boolean', path: '.status.active' },
    { name: 'Zone', type: 'string', path: '.spec.zone.name' },
    ...READY_COLUMNS,
  ],
  admit: advise(adviceOnEventExposure),
})
export type EventExposure = ResourceOf<typeof EventExposure>

export function adviceOnEventExposure(spec: Infer<typeof Spec>): readonly string[] {
  return [
    ...adviceOnName('spec.eventType', spec.eventType),
    ...aboutDuplicates(
      'spec.scopes',
      spec.scopes?.map((scope) => scope.name),
    ),
    ...aboutDuplicates('spec.approval.trustedTeams', spec.approval.trustedTeams),
    ...aboutDuplicates('spec.additionalPublisherIds', spec.additionalPublisherIds),
  ]
}
