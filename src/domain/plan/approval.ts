import { decidingTeam, leadingTeam } from '#domain/approval/deciding-team.ts'
import { expirationOf } from '#domain/approval/standing.ts'
import { approvalTransitions } from '#domain/approval/state-machine.ts'
import { blocked, done, notReady, processing, ready, verdict, type Verdict } from '#domain/condition.ts'
import { ApprovalExpiration } from '#domain/kinds/approval/approval-expiration.ts'
import type { ApprovalSpec, ApprovalStatus } from '#domain/kinds/approval/approval.ts'
import { refTo } from '#domain/object.ts'
import { approvalNotices } from './approval-notices.ts'
import { child, type Child, type Planner } from './plan.ts'
import type { View, World } from './world.ts'

type Self = View<ApprovalSpec, ApprovalStatus>

/** Reminders: weekly in the last 30 days, daily in the last seven (platform §4.4). */
const THRESHOLDS = [
  { before: '30d', repeat: '7d' },
  { before: '7d', repeat: '1d' },
]

/** The standing permission: its clock, what can be decided, and who is told (platform §4.3). */
export const planApproval: Planner<ApprovalSpec, ApprovalStatus> = (self, world) => {
  const { spec } = self
  const expiration = expirationOf(spec, self.created)
  const notices = noticesOf(self, world)
  return {
    outcome: 'desired',
    children: [...(expiration === undefined ? [] : [clock(self, expiration)]), ...notices],
    keep: [],
    remove: [],
    patches: [],
    status: {
      availableTransitions: approvalTransitions(spec.strategy, spec.state).filter((t) => t.action !== 'Expire'),
      lastState: spec.state,
      ...(expiration === undefined ? {} : { expiresAt: expiration }),
      ...(notices.length === 0 ? {} : { notificationRefs: notices.map(refTo) }),
    },
    conditions: conditionsOf(spec, expiration),
  }
}

const clock = (self: Self, expiration: string): Child =>
  child(ApprovalExpiration, {
    namespace: self.namespace,
    name: self.name,
    needs: 'exists',
    spec: { approval: refTo(self), expiration, thresholds: THRESHOLDS },
  })

/** The first grant is told by the request; from then on every change is told here. */
function noticesOf(self: Self, world: World): readonly Child[] {
  const { state, decisions = [] } = self.spec
  const isFirst = decisions.findIndex((d) => d.resultingState === 'Granted') === decisions.length - 1
  if (state === 'Granted' && isFirst) return []
  return approvalNotices(world, self, self.spec, {
    kind: 'approval',
    scenario: 'updated',
    mark: `${state}-${decisions.length}`,
    parties: state === 'Semigranted' ? ['decider'] : ['decider', 'requester'],
  })
}

function conditionsOf(spec: ApprovalSpec, expiration: string | undefined): readonly Verdict[] {
  const { state } = spec
  const team = decidingTeam(spec.decider)
  const approved = (message: string): Verdict =>
    verdict('Approved', state === 'Granted' || state === 'Suspended', state, message)
  const refused = (message: string): readonly Verdict[] => [notReady(state, message), done(), approved(message)]
  switch (state) {
    case 'Granted': {
      const message = `Granted until ${expiration ?? 'further notice'}`
      return [ready('Approved', message), done(), approved(message)]
    }
    case 'Suspended': {
      const message = `${leadingTeam(spec.decider)} has suspended the approval; they can resume it`
      return [ready('Suspended', message), processing('Suspended', message), approved(message)]
    }
    case 'Rejected':
      return refused(`${leadingTeam(spec.decider)} has withdrawn the approval; they can allow it again`)
    case 'Expired':
      return refused(`The approval has expired; ${team} has to confirm it`)
    case 'Semigranted': {
      const message = `One person of ${team} has allowed it; a second one has to`
      return [notReady('Semigranted', message), processing('Semigranted', message), approved(message)]
    }
    case 'Pending': {
      const message = `${leadingTeam(spec.decider)} has to decide`
      return [notReady('Pending', message), blocked(message), approved(message)]
    }
    default:
      return [notReady('Invalid', `State ${String(state)} is not known`), blocked('The state is not known')]
  }
}
