import { defineKind, READY_COLUMNS, ref } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Spec = s.object(
  {
    type: s.string({ minLength: 1, maxLength: 253, pattern: '^[a-z0-9]+([.-][a-z0-9]+)*$', doc: 'The event type.' }),
    version: s.string({ pattern: '^\\d+.*$', doc: 'Its version; begins with a digit.' }),
  },
  {
    category: s.string({ default: 'other', pattern: '^[a-z]+$', doc: 'Its category.' }),
    description: s.string({ doc: 'What the event says.' }),
    specification: s.string({ doc: 'File id of the schema of the payload.' }),
  },
)
const Status = s.object({}, { eventType: ref('The EventType made from it.') })

export type EventSpecificationSpec = Infer<typeof Spec>
export type EventSpecificationStatus = Infer<typeof Status>

export const EventSpecification = defineKind<EventSpecificationSpec, EventSpecificationStatus>({
  group: 'rover.cp.ei.vendor.de',
  kind: 'EventSpecification',
  plural: 'eventspecifications',
  doc: 'The description of an event type, as its owners write it.',
  spec: s.but(Spec, { doc: 'Which event type is described, and how.' }),
  status: s.but(Status, { doc: 'The EventType made from the description.' }),
  columns: [
    { name: 'Type', type: 'string', path: '.spec.type' },
    { name: 'Version', type: 'string', path: '.spec.version' },
    ...READY_COLUMNS,
  ],
})
export type EventSpecification = Resource<EventSpecificationSpec, EventSpecificationStatus>
