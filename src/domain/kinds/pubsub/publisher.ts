import { defineKind, READY_COLUMNS, ref, ZONE_COLUMN } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Spec = s.object(
  {
    eventStore: ref('The backend that holds the events.'),
    eventType: s.string({ minLength: 1, doc: 'What is published.' }),
    publisherId: s.string({ minLength: 1, doc: 'Client id of the providing application.' }),
  },
  {
    additionalPublisherIds: s.list(s.string({ minLength: 1 }), { doc: 'Client ids that may publish besides it.' }),
    jsonSchema: s.string({ doc: 'File id of the schema of the payload.' }),
  },
)
const Status = s.object({})

export type PublisherSpec = Infer<typeof Spec>
export type PublisherStatus = Infer<typeof Status>

export const Publisher = defineKind<PublisherSpec, PublisherStatus>({
  group: 'pubsub.cp.ei.vendor.de',
  kind: 'Publisher',
  plural: 'publishers',
  doc: 'Who may publish an event type.',
  spec: s.but(Spec, { doc: 'Who may publish which event type to which backend.' }),
  status: s.but(Status, { doc: 'Whether the publisher is in force.' }),
  columns: [
    { name: 'Event Type', type: 'string', path: '.spec.eventType' },
    { name: 'Publisher', type: 'string', path: '.spec.publisherId' },
    ZONE_COLUMN,
    ...READY_COLUMNS,
  ],
  written: 'by-platform',
})
export type Publisher = Resource<PublisherSpec, PublisherStatus>
