import type { Condition } from './object.ts'

/** What a planner says about its object; the engine adds the generation and the time of the last transition. */
export type Verdict = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

/** Reasons of Ready and Processing. The list is contract: people and tools match on it. */
export type ReadyReason =
  | 'Provisioned'
  | 'SubResourceNotReady'
  | 'PreconditionNotMet'
  | 'ApprovalPending'
  | 'AccessDenied'
  | 'ValidationFailed'
  | 'Blocked'
  | 'Processing'
  | 'Error'
  | 'ApiCategoryPolicyResolutionFailed'
  | 'ApiCategoryTeamCategoryNotAllowed'

export const ready = (reason: string, message: string): Verdict => ({ type: 'Ready', status: 'True', reason, message })
export const notReady = (reason: string, message: string): Verdict => ({
  type: 'Ready',
  status: 'False',
  reason,
  message,
})
export const processing = (reason: string, message: string): Verdict => ({
  type: 'Processing',
  status: 'True',
  reason,
  message,
})
export const blocked = (message: string): Verdict => ({
  type: 'Processing',
  status: 'False',
  reason: 'Blocked',
  message,
})
export const done = (message = 'Done'): Verdict => ({ type: 'Processing', status: 'False', reason: 'Done', message })
export const verdict = (type: string, holds: boolean, reason: string, message: string): Verdict => ({
  type,
  status: holds ? 'True' : 'False',
  reason,
  message,
})

/** Conditions in the order people read them: Ready first, then by name. */
export function sortVerdicts<V extends { readonly type: string }>(verdicts: readonly V[]): V[] {
  const sorted: V[] = []
  // A handful: each is put where it belongs.
  for (const one of verdicts) {
    let at = sorted.length
    while (at > 0 && rank(one) < rank(sorted[at - 1]!)) at--
    sorted.splice(at, 0, one)
  }
  return sorted
}

const rank = ({ type }: { readonly type: string }): string => (type === 'Ready' ? '' : type)

export const findCondition = <C extends { readonly type: string }>(
  list: readonly C[] | undefined,
  type: string,
): C | undefined => list?.find((c) => c.type === type)

/** §2.2: a condition is out of date when its observedGeneration is lower than the resource's generation. */
export const isStale = (condition: Condition, generation: number): boolean =>
  condition.observedGeneration !== undefined && condition.observedGeneration < generation
