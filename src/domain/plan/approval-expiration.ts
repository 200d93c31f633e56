import { SYSTEM } from '#domain/approval/decide.ts'
import { expirationOf } from '#domain/approval/standing.ts'
import { environmentOf } from '#domain/environment.ts'
import { Approval, type ApprovalSpec, type ApprovalStatus } from '#domain/kinds/approval/approval.ts'
import type { ApprovalExpirationSpec, ApprovalExpirationStatus } from '#domain/kinds/approval/approval-expiration.ts'
import { compact } from './application-notices.ts'
import { approvalNotices } from './approval-notices.ts'
import { ofEnvironment } from './of-environment.ts'
import { provisioned, type Patch, type Planner } from './plan.ts'
import { dueReminder, dueReminders } from './reminder.ts'
import type { View } from './world.ts'

/** Reminds the parties, and expires the approval when its time has come (platform §4.4). */
export const planApprovalExpiration: Planner<ApprovalExpirationSpec, ApprovalExpirationStatus> = (self, world) => {
  const { expiration, thresholds = [] } = self.spec
  const approval = ofEnvironment(world, environmentOf(self.namespace, self.labels), Approval, self.spec.approval)
  // A new grant moves the clock; until this object follows, its old time means nothing.
  const isRunning =
    approval !== undefined &&
    (approval.spec.state === 'Granted' || approval.spec.state === 'Suspended') &&
    expirationOf(approval.spec, approval.created) === expiration
  if (!isRunning) return provisioned({ status: {}, message: 'No clock is running' })
  if (world.reached(expiration)) {
    return provisioned({ status: {}, patches: [expire(approval, expiration)], message: `Expired at ${expiration}` })
  }
  const due = dueReminder(world, expiration, thresholds)
  const notices =
    due === undefined
      ? []
      : approvalNotices(world, self, approval.spec, {
          kind: 'approvalexpiration',
          scenario: 'reminder',
          mark: compact(due.at),
          parties: ['decider', 'requester'],
          properties: { expires: expiration },
        })
  const sent = dueReminders(world, expiration, thresholds).map(({ threshold, at }) => ({ threshold, sentAt: at }))
  return provisioned({
    children: notices,
    status: sent.length === 0 ? {} : { sentReminders: sent },
    message: `Expires at ${expiration}`,
  })
}

function expire(approval: View<ApprovalSpec, ApprovalStatus>, expiration: string): Patch {
  const decision = { name: SYSTEM, comment: 'Expired', timestamp: expiration, resultingState: 'Expired' as const }
  return {
    kind: Approval,
    namespace: approval.namespace,
    name: approval.name,
    expect: approval.resourceVersion,
    spec: { ...approval.spec, state: 'Expired', decisions: [...(approval.spec.decisions ?? []), decision] },
  }
}
