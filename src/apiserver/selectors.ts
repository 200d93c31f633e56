import type { ListOptions } from '#registry/registry.ts'
import { parseFieldSelector, parseLabelSelector } from '#registry/selector.ts'
import type { Query } from './query.ts'

/** @throws StatusError BadRequest when a selector cannot be read */
export function selectorParameters(query: Query): Pick<ListOptions, 'labels' | 'fields'> {
  const labels = query.get('labelSelector')
  const fields = query.get('fieldSelector')
  return {
    labels: labels ? parseLabelSelector(labels) : undefined,
    fields: fields ? parseFieldSelector(fields) : undefined,
  }
}
