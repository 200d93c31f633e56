import { requestsByTarget, targetKey } from '#domain/approval/approve.ts'
import { decidingTeam, leadingTeam } from '#domain/approval/deciding-team.ts'
import { approvalLabels } from '#domain/approval/labels.ts'
import { stemsFrom } from '#domain/approval/standing.ts'
import { requestTransitions } from '#domain/approval/state-machine.ts'
import { blocked, done, notReady, processing, ready, verdict, type Verdict } from '#domain/condition.ts'
import { Approval } from '#domain/kinds/approval/approval.ts'
import type { ApprovalRequestSpec, ApprovalRequestStatus } from '#domain/kinds/approval/approval-request.ts'
import { approvalName, isResourceName } from '#domain/names.ts'
import { refTo, type ObjectRef } from '#domain/object.ts'
import { approvalNotices } from './approval-notices.ts'
import { waiting, type Child, type Patch, type Plan, type Planner } from './plan.ts'
import { byAge, type View, type World } from './world.ts'

type Self = View<ApprovalRequestSpec, ApprovalRequestStatus>

/** A granted request makes the Approval; everything else waits for people (platform §4.2). */
export const planApprovalRequest: Planner<ApprovalRequestSpec, ApprovalRequestStatus> = (self, world) => {
  const { spec } = self
  const approval = { name: approvalName(spec.target.kind ?? '', spec.target.name), namespace: self.namespace }
  if (!isResourceName(approval.name)) return pointless(spec)
  if (spec.target.namespace !== self.namespace) return misplaced(spec)
  const notices = noticesOf(self, world)
  return {
    outcome: 'desired',
    children: notices,
    keep: [],
    remove: [],
    patches: spec.state === 'Granted' ? grant(self, world, approval) : [],
    status: {
      ...(spec.state === 'Granted' ? { approval } : {}),
      availableTransitions: requestTransitions(spec.strategy, spec.state),
      lastState: spec.state,
      ...(notices.length === 0 ? {} : { notificationRefs: notices.map(refTo) }),
    },
    conditions: conditionsOf(spec),
  }
}

/** A request for what cannot exist grants nothing, and nobody is bothered with it. */
function pointless({ target: { kind = '', name } }: ApprovalRequestSpec): Plan<ApprovalRequestStatus> {
  const message = `spec.target names ${kind} "${name}", which no object can be called: make a request for one that exists`
  return waiting('ValidationFailed', message, { status: {} })
}

/** Nobody grants anything in another namespace, let alone in another environment. */
function misplaced({ target: { kind = '', name, namespace } }: ApprovalRequestSpec): Plan<ApprovalRequestStatus> {
  const message = `A request belongs into the namespace of its spec.target, ${kind} ${namespace}/${name}: make it in ${namespace}`
  return waiting('ValidationFailed', message, { status: {} })
}

/**
 * The whole Approval, unless it already stems from this request: a later suspension survives. Of several requests the
 * youngest counts; older ones are about to be removed.
 */
function grant(self: Self, world: World, at: ObjectRef): readonly Patch[] {
  const { action, target, requester, decider, strategy, decisions } = self.spec
  const rivals = world.list(requestsByTarget, targetKey(target)).filter((r) => !r.deleting)
  if (self.deleting || rivals.toSorted(byAge).at(-1)?.uid !== self.uid) return []
  return [
    {
      kind: Approval,
      ...at,
      unless: (existing) => stemsFrom(existing, self.name, self.spec),
      labels: approvalLabels(self.spec),
      owner: target,
      spec: { action, target, requester, decider, strategy, state: 'Granted', decisions, approvedRequest: refTo(self) },
    },
  ]
}

/** The deciders hear of every state, the requesters of those that change something for them. */
function noticesOf(self: Self, world: World): readonly Child[] {
  const { state, strategy, decisions = [] } = self.spec
  const open = state === 'Pending' || state === 'Semigranted'
  return approvalNotices(world, self, self.spec, {
    kind: 'approvalrequest',
    scenario: decisions.length === 0 || strategy === 'Auto' ? 'created' : 'updated',
    mark: `${state}-${decisions.length}`,
    parties: open ? ['decider'] : ['decider', 'requester'],
  })
}

function conditionsOf(spec: ApprovalRequestSpec): readonly Verdict[] {
  const team = decidingTeam(spec.decider)
  const approved = (message: string): Verdict => verdict('Approved', spec.state === 'Granted', spec.state, message)
  switch (spec.state) {
    case 'Granted':
      return [ready('Granted', 'The request is granted'), done(), approved('The request is granted')]
    case 'Rejected': {
      const message = `${leadingTeam(spec.decider)} rejected the request; ask them, they can still allow it`
      return [notReady('Rejected', message), done(), approved(message)]
    }
    case 'Semigranted': {
      const message = `One person of ${team} has allowed the request; a second one has to`
      return [notReady('Semigranted', message), processing('Semigranted', message), approved(message)]
    }
    case 'Pending': {
      const message = `${leadingTeam(spec.decider)} has to decide; set spec.state to do so`
      return [notReady('Pending', message), processing('ApprovalPending', message), approved(message)]
    }
    default:
      return [notReady('Invalid', `State ${String(spec.state)} is not known`), blocked('The state is not known')]
  }
}
