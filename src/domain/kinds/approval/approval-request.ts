import { admitApprovalRequest } from '#domain/approval/admit-approval-request.ts'
import { defineKind, READY_COLUMNS, ref, refs } from '#domain/kind.ts'
import { STRATEGIES, typedRef } from '#domain/kinds/shared.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'
import { APPROVAL_STATES, Decider, Decision, REQUEST_STATES, Requester, Transitions } from './parties.ts'

const Spec = s.object(
  {
    action: s.string({ default: 'unknown', maxLength: 63, doc: 'What is asked for, for instance `subscribe`.' }),
    target: typedRef('The object that needs the approval.'),
    requester: Requester,
    decider: Decider,
    strategy: s.oneOf(STRATEGIES, { default: 'Simple', doc: 'How many people have to agree: none, one or two.' }),
    state: s.oneOf(REQUEST_STATES, { default: 'Pending', doc: 'Where the request stands. Change it to decide.' }),
  },
  {
    decisions: s.list(Decision, {
      maxItems: 1000,
      doc: 'Who decided what. The server adds who and when; of what is sent with a change of `state` it keeps the comment.',
    }),
  },
)
const Status = s.object(
  {},
  {
    approval: ref('The approval this request led to.'),
    availableTransitions: Transitions,
    lastState: s.oneOf(APPROVAL_STATES, { doc: 'The state last dealt with.' }),
    notificationRefs: refs('Who was told.'),
  },
)

export type ApprovalRequestSpec = Infer<typeof Spec>
export type ApprovalRequestStatus = Infer<typeof Status>

export const ApprovalRequest = defineKind<ApprovalRequestSpec, ApprovalRequestStatus>({
  group: 'approval.cp.ei.vendor.de',
  kind: 'ApprovalRequest',
  plural: 'approvalrequests',
  shortNames: ['apr'],
  doc: 'One question to the owners of an API or event: may this subscription be served?',
  spec: s.but(Spec, { doc: 'Who asks whom for what, and what was decided so far.' }),
  status: s.but(Status, { doc: 'What can be decided now, what the request led to and who was told.' }),
  columns: [
    { name: 'State', type: 'string', path: '.spec.state' },
    { name: 'Strategy', type: 'string', path: '.spec.strategy' },
    { name: 'Requester', type: 'string', path: '.spec.requester.teamName' },
    { name: 'Decider', type: 'string', path: '.spec.decider.teamName' },
    ...READY_COLUMNS,
  ],
  admit: admitApprovalRequest,
})
export type ApprovalRequest = Resource<ApprovalRequestSpec, ApprovalRequestStatus>
