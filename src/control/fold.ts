import { blocked, findCondition, notReady, processing, sortVerdicts, type Verdict } from '#domain/condition.ts'
import { equal } from '#domain/equal.ts'
import type { Kind } from '#domain/kind.ts'
import { compareText, type Condition, type Resource } from '#domain/object.ts'
import { normalize } from '#domain/structural.ts'

const SHOWN = 3
const LONGEST_MESSAGE = 32_768

/** The last second asked for: the same one is asked for again and again. */
let last = { second: NaN, text: '' }

export function timeText(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (last.second !== second) last = { second, text: `${new Date(second * 1000).toISOString().slice(0, -5)}Z` }
  return last.text
}

export const saysReady = (verdicts: readonly Verdict[]): boolean => findCondition(verdicts, 'Ready')?.status === 'True'

/** Replaces what the plan says about Ready and Processing; everything else it says stands. */
export const overruled = (verdicts: readonly Verdict[], by: readonly Verdict[]): readonly Verdict[] => [
  ...verdicts.filter((v) => !by.some((other) => other.type === v.type)),
  ...by,
]

/** `Kind namespace/name`, sorted and not too many of them: a message must not change with the order of events. */
export function listed(names: readonly string[]): string {
  const sorted = names.toSorted(compareText)
  const rest = sorted.length - SHOWN
  return sorted.slice(0, SHOWN).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

export function waitingFor(unready: readonly string[]): readonly Verdict[] {
  const message = `Waiting for ${listed(unready)}`
  return [notReady('SubResourceNotReady', message), processing('SubResourceNotReady', message)]
}

export function blockedBy(foreign: readonly string[]): readonly Verdict[] {
  const message = `${listed(foreign)} ${foreign.length === 1 ? 'exists and was' : 'exist and were'} not created by the platform: delete or rename`
  return [notReady('Blocked', message), blocked(message)]
}

export const failed = (message: string): readonly Verdict[] => [
  notReady('Error', message),
  { type: 'Processing', status: 'False', reason: 'Error', message },
]

/** The conditions with what the engine knows: for which generation, and since when. */
export function conditionsOf(self: Resource, verdicts: readonly Verdict[], now: number): readonly Condition[] {
  const latest = verdicts.filter(({ type }, i) => !verdicts.some((other, at) => at > i && other.type === type))
  return sortVerdicts(latest).map(({ type, status, reason, message }) => {
    const before = findCondition(self.status?.conditions, type)
    return {
      type,
      status,
      reason,
      message: message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE - 1)}…` : message,
      observedGeneration: self.metadata.generation ?? 0,
      lastTransitionTime: before?.status === status ? before.lastTransitionTime : timeText(now),
    }
  })
}

/** The resource with this status, or undefined when it has it already. */
export function withStatus(
  kind: Kind,
  self: Resource,
  status: unknown,
  conditions: readonly Condition[],
): Resource | undefined {
  const wanted = { ...self, status: { ...(status as object), conditions } }
  if (equal(wanted.status, self.status)) return undefined
  // What is surely different gets its stored form from the server.
  if (!equal(conditions, self.status?.conditions ?? [])) return wanted
  const { object } = normalize(kind, { ...wanted, spec: undefined })
  return equal(object.status, self.status) ? undefined : { ...self, status: object.status }
}
