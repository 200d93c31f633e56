import { findCondition, sortVerdicts, type Verdict } from '#domain/condition.ts'
import type { Kind } from '#domain/kind.ts'
import { compareText, type Condition, type Resource } from '#domain/object.ts'
import { validateStatus } from '#domain/structural.ts'

/** What an object says while it waits for its dependents to go first; the name CustomResourceDefinitions have for it. */
const TERMINATING = 'Terminating'
const SHOWN = 3
/** Dependents that are looked at before there are just many. */
export const MOST_KNOWN = 100
const LONGEST_REASON = 1000

/**
 * The object with a word about why it is still there; the same object when it says so already, or has no place for it. It
 * is part of the status, which nobody computes any more once an object is being deleted.
 */
export function waitingForDependents(
  kind: Kind,
  object: Resource,
  blockers: readonly Resource[],
  now: string,
): Resource {
  const verdict: Verdict = { type: TERMINATING, status: 'True', reason: 'DependentsRemaining', message: why(blockers) }
  const next = withConditions(object, [verdict], now)
  return next !== object && validateStatus(kind, { status: next.status }).length > 0 ? object : next
}

function why(blockers: readonly Resource[]): string {
  const sorted = blockers.toSorted((a, b) => compareText(nameOf(a), nameOf(b)))
  const rest = sorted.length - SHOWN
  const names =
    sorted.slice(0, SHOWN).map(nameOf).join(', ') +
    (rest > 0 ? ` and ${sorted.length > MOST_KNOWN ? 'many' : rest} more` : '')
  const words = sorted.map(wordsOf).find((text) => text !== undefined)
  const message = `Waiting until ${names} ${sorted.length === 1 ? 'is' : 'are'} deleted`
  return words === undefined ? message : `${message}: ${words}`.slice(0, LONGEST_REASON)
}

const nameOf = ({ kind, metadata: { namespace = '', name } }: Resource): string =>
  `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`

/** Why a dependent does not go, in its own words. */
function wordsOf({ status }: Resource): string | undefined {
  const waits = findCondition(status?.conditions, TERMINATING)
  const ready = findCondition(status?.conditions, 'Ready')
  return waits?.message ?? (ready?.status === 'False' ? ready.message : undefined)
}

/** The object with these conditions besides its others; the same object when it has them already. */
export function withConditions(object: Resource, verdicts: readonly Verdict[], now: string): Resource {
  const before: readonly Condition[] = object.status?.conditions ?? []
  if (verdicts.every((verdict) => says(findCondition(before, verdict.type), verdict))) return object
  const others = before.filter(({ type }) => findCondition(verdicts, type) === undefined)
  const stamped = verdicts.map((verdict) => stampedBy(findCondition(before, verdict.type), verdict, now))
  return { ...object, status: { ...object.status, conditions: sortVerdicts([...others, ...stamped]) } }
}

const says = (condition: Condition | undefined, { status, reason, message }: Verdict): boolean =>
  condition?.status === status && condition.reason === reason && condition.message === message

const stampedBy = (before: Condition | undefined, verdict: Verdict, now: string): Condition => ({
  ...verdict,
  lastTransitionTime: before?.status === verdict.status ? before.lastTransitionTime : now,
})
