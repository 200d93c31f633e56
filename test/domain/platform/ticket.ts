import { approve, denialOf } from '#domain/approval/approve.ts'
import { controllerOf, type Controller } from '#control/controller.ts'
import { defineKind, READY_COLUMNS, type SpecOf, type StatusOf } from '#domain/kind.ts'
import { child, denied, provisioned, waiting, type Planner } from '#domain/plan/plan.ts'
import { s } from '#domain/schema.ts'

/** A subscription made up for the purpose: needs an approval, and has a Permit while it is granted. */
export const Ticket = defineKind({
  group: 'ticket.test',
  kind: 'Ticket',
  plural: 'tickets',
  doc: 'Asks for a permit.',
  spec: s.object(
    { team: s.string(), owner: s.string(), strategy: s.oneOf(['Auto', 'Simple', 'FourEyes']) },
    { scopes: s.list(s.string()), trusted: s.list(s.string()), note: s.string() },
  ),
  status: s.object({}, { approval: s.string(), request: s.string() }),
  columns: READY_COLUMNS,
})

export const Permit = defineKind({
  group: 'ticket.test',
  kind: 'Permit',
  plural: 'permits',
  doc: 'Lets someone in.',
  spec: s.object({}, { scopes: s.list(s.string()) }),
  status: s.object({}),
  columns: READY_COLUMNS,
})

/** As the event and API subscriptions use approvals: a denial first, then the question (platform §4.5). */
const planTicket: Planner<SpecOf<typeof Ticket>, StatusOf<typeof Ticket>> = (self, world) => {
  const { team, owner, strategy, trusted, scopes = [] } = self.spec
  const { result, children, remove, conditions, refs, state } = approve(world, {
    self,
    properties: { scopes },
    requester: { teamName: team, teamEmail: `${team}@example.com`, reason: 'because' },
    decider: { teamName: owner, teamEmail: `${owner}@example.com` },
    strategy,
    trustedTeams: trusted,
  })
  const status = { approval: refs.approval.name, request: refs.approvalRequest.name }
  const parts = { children, remove, conditions, status }
  if (denialOf(world, self) !== undefined || result === 'denied')
    return denied('AccessDenied', `Approval ${state}`, parts)
  if (result === 'requestDenied') return waiting('AccessDenied', 'Request rejected', parts)
  if (result === 'pending') return waiting('ApprovalPending', 'Pending', parts)
  const permit = child(Permit, { namespace: self.namespace, name: self.name, spec: { scopes } })
  return provisioned({ ...parts, children: [...children, permit] })
}

export const ticketControllers: readonly Controller[] = [
  controllerOf(Ticket, planTicket),
  controllerOf(Permit, () => provisioned({ status: {} })),
]
