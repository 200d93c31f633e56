import type { Admission, Admitted } from '#domain/kind.ts'
import type { ApprovalSpec, ApprovalStatus } from '#domain/kinds/approval/approval.ts'
import { equal } from '#domain/equal.ts'
import { completed, decisionsAfter, nameless, refusal, unrecorded, type Change } from './decide.ts'
import { changedFixedFields, mayCreate } from './fixed-fields.ts'
import { approvalTransitions } from './state-machine.ts'

type Request = Admission<ApprovalSpec, ApprovalStatus>
type Answer = Admitted<ApprovalSpec, ApprovalStatus>

/** Platform §4.3 with decisions §4.7 and §8.20: who decides is who is authenticated; only the platform expires. */
export function admitApproval(request: Request): Answer {
  const { object, old, user, now } = request
  if (user.platform === true || (old === undefined && mayCreate(user))) {
    const restored = { ...object, spec: { ...object.spec, decisions: completed(object.spec, now) } }
    return { object: restored, errors: nameless(object.spec) }
  }
  if (old === undefined) return { object, forbidden: 'approvals are made by the platform when a request is granted' }
  return byPerson(request, old.spec)
}

function byPerson({ object, user, now }: Request, before: ApprovalSpec): Answer {
  const after = object.spec
  if (after.state === 'Expired' && before.state !== 'Expired') {
    return { object, forbidden: 'an approval expires by itself; suspend or reject it instead' }
  }
  const change: Change = { before, after, user, now, allowed: approvalTransitions(before.strategy, before.state) }
  const refused = refusal(change)
  const moved = equal(before.approvedRequest, after.approvedRequest)
    ? []
    : [
        {
          reason: 'FieldValueForbidden' as const,
          field: 'spec.approvedRequest',
          message: 'Forbidden: set by the platform when a request is granted',
        },
      ]
  return {
    object: { ...object, spec: { ...after, decisions: decisionsAfter(change) } },
    errors: [...changedFixedFields(before, after), ...moved, ...(refused === undefined ? [] : [refused])],
    warnings: unrecorded(change),
  }
}
