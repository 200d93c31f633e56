import { admitApproval } from '#domain/approval/admit-approval.ts'
import { defineKind, READY_COLUMNS, ref, refs } from '#domain/kind.ts'
import { STRATEGIES, typedRef } from '#domain/kinds/shared.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'
import { APPROVAL_STATES, Decider, Decision, Requester, Transitions } from './parties.ts'

const Spec = s.object(
  {
    action: s.string({ default: 'unknown', maxLength: 63, doc: 'What is approved, for instance `subscribe`.' }),
    target: typedRef('The approved object.'),
    requester: Requester,
    decider: Decider,
    strategy: s.oneOf(STRATEGIES, { default: 'Simple', doc: 'How many people have to agree: none, one or two.' }),
    state: s.oneOf(APPROVAL_STATES, {
      default: 'Pending',
      doc: 'Whether it holds. Change it to suspend, resume, reject or confirm. What was granted goes on running when it is Expired.',
    }),
  },
  {
    decisions: s.list(Decision, {
      maxItems: 1000,
      doc: 'Who decided what. The server adds who and when; of what is sent with a change of `state` it keeps the comment.',
    }),
    approvedRequest: ref('The request that led to this approval.'),
  },
)
const Status = s.object(
  {},
  {
    availableTransitions: Transitions,
    lastState: s.oneOf(APPROVAL_STATES, { doc: 'The state last dealt with.' }),
    expiresAt: s.time({ doc: 'When it has to be confirmed.' }),
    notificationRefs: refs('Who was told.'),
  },
)

export type ApprovalSpec = Infer<typeof Spec>
export type ApprovalStatus = Infer<typeof Status>

export const Approval = defineKind<ApprovalSpec, ApprovalStatus>({
  group: 'approval.cp.ei.vendor.de',
  kind: 'Approval',
  plural: 'approvals',
  doc: 'The standing permission of a subscription; it can be suspended, resumed, rejected, and expires.',
  spec: s.but(Spec, { doc: 'Who may use what, and whether that holds at the moment.' }),
  status: s.but(Status, { doc: 'What can be decided now, when it expires and who was told.' }),
  columns: [
    { name: 'State', type: 'string', path: '.spec.state' },
    { name: 'Strategy', type: 'string', path: '.spec.strategy' },
    { name: 'Requester', type: 'string', path: '.spec.requester.teamName' },
    { name: 'Decider', type: 'string', path: '.spec.decider.teamName' },
    { name: 'Expires', type: 'string', path: '.status.expiresAt', priority: 1 },
    ...READY_COLUMNS,
  ],
  admit: admitApproval,
})
export type Approval = Resource<ApprovalSpec, ApprovalStatus>
