import { compareText } from '#domain/object.ts'
import type { SelectionFilter } from './trigger.ts'

type Expression = Readonly<Record<string, unknown>>

/** The expression a filter means; undefined when it lets every event pass. Attributes count only without an expression. */
export function expressionOf(filter: SelectionFilter | undefined): Expression | undefined {
  if (filter?.expression !== undefined) return filter.expression
  const comparisons = Object.entries(filter?.attributes ?? {})
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([field, value]) => ({ eq: { field, value } }))
  return comparisons.length > 1 ? { and: comparisons } : comparisons[0]
}

/** Events that pass any of the filters. One that lets everything pass makes the union let everything pass (decisions §4.8). */
export function anyOf(filters: readonly (SelectionFilter | undefined)[]): Expression | undefined {
  const expressions = filters.map(expressionOf)
  const present = expressions.filter((expression) => expression !== undefined)
  if (present.length < expressions.length) return undefined
  return present.length > 1 ? { or: present } : present[0]
}
