import { equal } from '#domain/equal.ts'
import type { FieldError } from '#domain/errors.ts'
import type { User } from '#domain/kind.ts'
import type { Decider, Requester } from '#domain/kinds/approval/parties.ts'
import type { TypedRef } from '#domain/object.ts'
import type { Strategy } from './state-machine.ts'

interface Content {
  readonly action: string
  readonly target: TypedRef
  readonly requester: Requester
  readonly decider: Decider
  readonly strategy: Strategy
}

/**
 * People change the state and their words; what is asked, of whom and how many have to agree follows from the
 * subscription and the exposure, otherwise a requester could choose their own decider.
 */
export function changedFixedFields(before: Content, after: Content): readonly FieldError[] {
  const parts = {
    action: [before.action, after.action],
    target: [before.target, after.target],
    decider: [before.decider, after.decider],
    strategy: [before.strategy, after.strategy],
    requester: [
      { ...before.requester, reason: '' },
      { ...after.requester, reason: '' },
    ],
  }
  return Object.entries(parts)
    .filter(([, [was, is]]) => !equal(was, is))
    .map(([field]) => ({
      reason: 'FieldValueForbidden' as const,
      field: `spec.${field}`,
      message: 'Forbidden: follows from the subscription and the exposure; change it there',
    }))
}

/** Who may create approvals besides the platform: someone who restores them. */
export const mayCreate = (user: User): boolean => user.platform === true || user.groups.includes('system:masters')
