import { defineKind, READY_COLUMNS, type ResourceOf } from '#domain/kind.ts'
import { type Infer, s } from '#domain/schema.ts'
import { advise } from '#domain/kinds/advice.ts'
import { adviceOnName, eventTypeName } from './event-type-name.ts'

const Spec = s.object(
  {
    type: eventTypeName('Name of the event type: lower-case letters and digits, separated by dots or hyphens.', 253),
    version: s.string({ pattern: '^\\d+.*$', doc: 'Version of the event type; begins with a digit.' }),
  },
  {
    category: s.string({ default: 'other', pattern: '^[a-z]+$', doc: 'Category of the event type.' }),
    description: s.string({ doc: 'What the events mean, for people.' }),
    specification: s.string({ doc: 'File ID of the stored specification of the payload.' }),
  },
  { doc: 'What is known about the event type.' },
)

const Status = s.object({ active: s.boolean({ doc: 'Whether this is the entry in force for its type.' }) })

/** A singleton registry entry for a known event type; exposures and subscriptions point to it (§2.8). */
export const EventType = defineKind({
  group: 'event.cp.ei.vendor.de',
  kind: 'EventType',
  plural: 'eventtypes',
  shortNames: ['evtype'],
  doc: 'Registry entry for an event type, which exposures and subscriptions point to.',
  spec: Spec,
  status: s.but(Status, { doc: 'Whether this entry is the active one of its type.' }),
  columns: [
    { name: 'Type', type: 'string', path: '.spec.type' },
    { name: 'Version', type: 'string', path: '.spec.version' },
    { name: 'Category', type: 'string', path: '.spec.category', priority: 1 },
    { name: 'Active', type: 'boolean', path: '.status.active' },
    ...READY_COLUMNS,
  ],
  admit: advise(adviceOnEventType),
})
export type EventType = ResourceOf<typeof EventType>

export function adviceOnEventType({ type, version }: Infer<typeof Spec>): readonly string[] {
  return adviceOnName('spec.type', type, version)
}
