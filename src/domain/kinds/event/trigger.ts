import { s } from '#domain/schema.ts'

const ResponseFilter = s.object(
  {},
  {
    mode: s.oneOf(['Include', 'Exclude'], {
      default: 'Include',
      doc: 'Whether the paths are the fields to return or the fields to leave out.',
    }),
    paths: s.list(s.string(), { doc: 'Paths of fields in the payload.' }),
  },
  { doc: 'Shapes the payload: which fields to return.' },
)

const SelectionFilter = s.object(
  {},
  {
    attributes: s.map(s.string(), { doc: 'Attributes and the values an event must have.' }),
    expression: s.anything({ doc: 'A condition on the event; kept as given.' }),
  },
  { doc: 'Matches events: which ones to deliver.' },
)

/** Which events are delivered and what of them (§2.6); the same for publishers' scopes and for subscribers. */
export const Trigger = s.object({}, { responseFilter: ResponseFilter, selectionFilter: SelectionFilter })
