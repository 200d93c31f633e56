import { defineKindWithOptionalSpec, type Column } from '#domain/kind.ts'
import { s } from '#domain/schema.ts'

/** What is told of an event of core/v1. Nothing here is checked on writing, so nothing may be relied upon. */
interface Told {
  readonly involvedObject?: { readonly kind?: unknown; readonly name?: unknown } | null
  readonly source?: { readonly component?: unknown; readonly host?: unknown } | null
  readonly series?: { readonly count?: unknown; readonly lastObservedTime?: unknown } | null
  readonly [field: string]: unknown
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const firstText = (...values: readonly unknown[]): string | undefined => values.map(textOf).find((text) => text !== '')

const firstSeen = (event: Told): unknown => firstText(event['firstTimestamp'], event['eventTime'])

/** What is still going on is told as a series. */
const lastSeen = (event: Told): unknown =>
  firstText(event.series?.lastObservedTime, event['lastTimestamp']) ?? firstSeen(event)

/** `eventtype/orders`, as one would write it for `kubectl get`. */
const objectOf = ({ involvedObject }: Told): string =>
  [textOf(involvedObject?.kind).toLowerCase(), textOf(involvedObject?.name)].filter((part) => part !== '').join('/')

const sourceOf = ({ source, reportingComponent, reportingInstance }: Told): string =>
  [firstText(source?.component, reportingComponent), firstText(source?.host, reportingInstance)]
    .filter((part) => part !== undefined)
    .join(', ')

/** The columns, and their order, that a cluster has for its events: people and scripts know them. */
const columns: readonly Column[] = [
  { name: 'Last Seen', type: 'date', path: '.lastTimestamp', value: lastSeen },
  { name: 'Type', type: 'string', path: '.type' },
  { name: 'Reason', type: 'string', path: '.reason' },
  { name: 'Object', type: 'string', path: '.involvedObject.name', value: objectOf },
  { name: 'Subobject', type: 'string', path: '.involvedObject.fieldPath', priority: 1 },
  { name: 'Source', type: 'string', path: '.source.component', value: sourceOf, priority: 1 },
  { name: 'Message', type: 'string', path: '.message', value: (event: Told) => textOf(event['message']).trim() },
  { name: 'First Seen', type: 'date', path: '.firstTimestamp', value: firstSeen, priority: 1 },
  {
    name: 'Count',
    type: 'integer',
    path: '.count',
    value: (event: Told) => event.series?.count ?? event['count'] ?? 1,
    priority: 1,
  },
  { name: 'Name', type: 'string', path: '.metadata.name', priority: 1 },
]

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
  columns,
})
