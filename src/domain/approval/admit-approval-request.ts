import { equal } from '#domain/equal.ts'
import type { FieldError } from '#domain/errors.ts'
import type { Admission, Admitted } from '#domain/kind.ts'
import type { ApprovalRequestSpec, ApprovalRequestStatus } from '#domain/kinds/approval/approval-request.ts'
import type { Decision } from '#domain/kinds/approval/parties.ts'
import { completed, decisionsAfter, nameless, personOf, refusal, SYSTEM, unrecorded, type Change } from './decide.ts'
import { changedFixedFields, mayCreate } from './fixed-fields.ts'
import { requestTransitions } from './state-machine.ts'

type Request = Admission<ApprovalRequestSpec, ApprovalRequestStatus>
type Answer = Admitted<ApprovalRequestSpec, ApprovalRequestStatus>

/** Platform §4.2 with decisions §4.7: who decides is who is authenticated; the platform writes freely. */
export function admitApprovalRequest(request: Request): Answer {
  const { object, old, user } = request
  if (user.platform === true) return { object: granted(request, { name: SYSTEM }) }
  if (old === undefined) {
    if (mayCreate(user)) return { object: granted(request, personOf(user)), errors: nameless(object.spec) }
    return { object, forbidden: 'approval requests are made by the platform when a subscription needs one' }
  }
  return byPerson(request, old.spec)
}

/** An automatic request is granted from the start, by whoever makes it: as a rule the platform itself. */
function granted({ object, now }: Request, by: Decision): Request['object'] {
  const automatic = object.spec.strategy === 'Auto'
  const state = automatic ? 'Granted' : object.spec.state
  const given = object.spec.decisions ?? []
  const decisions = automatic && given.length === 0 ? [by] : given
  return { ...object, spec: { ...object.spec, state, decisions: completed({ ...object.spec, state, decisions }, now) } }
}

function byPerson({ object, user, now }: Request, before: ApprovalRequestSpec): Answer {
  const after = object.spec
  if (before.state === 'Granted')
    return { object, errors: [...frozen(before, after), ...changedFixedFields(before, after)] }
  const change: Change = { before, after, user, now, allowed: requestTransitions(before.strategy, before.state) }
  const refused = refusal(change)
  return {
    object: { ...object, spec: { ...after, decisions: decisionsAfter(change) } },
    errors: [...changedFixedFields(before, after), ...(refused === undefined ? [] : [refused])],
    warnings: unrecorded(change),
  }
}

/** A granted request is history: later decisions are made on its Approval. */
function frozen(before: ApprovalRequestSpec, after: ApprovalRequestSpec): readonly FieldError[] {
  const fields = (['state', 'decisions'] as const).filter((f) => !equal(before[f] ?? [], after[f] ?? []))
  return fields.map((field) => ({
    reason: 'FieldValueForbidden',
    field: `spec.${field}`,
    message: 'Forbidden: the request is granted and can no longer be changed; decide on its Approval instead',
  }))
}
