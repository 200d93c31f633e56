import { together } from './response-filter.ts'
import { anyOf } from './selection-filter.ts'
import type { Scope, Trigger } from './trigger.ts'

/** The scope of subscriptions that ask for none. */
export const DEFAULT_SCOPE = 'default'

/** The names an exposure does not offer, in the order they were asked for. */
export function unknownScopes(offered: readonly Scope[], requested: readonly string[]): readonly string[] {
  return [...new Set(requested)].filter((name) => !offered.some((scope) => scope.name === name))
}

/**
 * What the publisher lets a subscription see: the union of the scopes it asked for, in the exposure's order, or the
 * default scope when it asked for none. Undefined when nothing is filtered.
 */
export function publisherTrigger(offered: readonly Scope[], requested: readonly string[]): Trigger | undefined {
  const names = requested.length > 0 ? requested : [DEFAULT_SCOPE]
  const triggers = offered.filter((scope) => names.includes(scope.name)).map((scope) => scope.trigger)
  const expression = triggers.length > 0 ? anyOf(triggers.map((trigger) => trigger.selectionFilter)) : undefined
  const responseFilter = together(triggers.map((trigger) => trigger.responseFilter))
  if (expression === undefined && responseFilter === undefined) return undefined
  return {
    ...(responseFilter && { responseFilter }),
    ...(expression && { selectionFilter: { expression } }),
  }
}
