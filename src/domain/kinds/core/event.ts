import { defineKindWithOptionalSpec } from '#domain/kind.ts'
import { s } from '#domain/schema.ts'

/**
 * What `kubectl describe` and `kubectl events` show about an object. Its fields stand beside the metadata instead of in a
 * spec, so the kind keeps them as they come.
 */
export const Event = defineKindWithOptionalSpec({
  group: '',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  doc: 'Something that happened to an object.',
  spec: s.anything({ doc: 'Not used.' }),
  status: s.object({}),
  preserveUnknown: true,
  written: 'by-platform',
  columns: [
    { name: 'Last Seen', type: 'date', path: '.lastTimestamp' },
    { name: 'Type', type: 'string', path: '.type' },
    { name: 'Reason', type: 'string', path: '.reason' },
    { name: 'Object', type: 'string', path: '.involvedObject.name' },
    { name: 'Message', type: 'string', path: '.message' },
  ],
})
