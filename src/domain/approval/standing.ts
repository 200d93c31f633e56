import type { ApprovalRequestSpec } from '#domain/kinds/approval/approval-request.ts'
import type { ApprovalSpec } from '#domain/kinds/approval/approval.ts'
import type { ApprovalState } from '#domain/kinds/approval/parties.ts'
import { equal } from '#domain/equal.ts'
import { addTime, DAY } from '#domain/time.ts'

/** After this time an approval has to be confirmed (platform §4.4). */
const PERIOD = 12 * 30 * DAY

/** What an expired approval was before: what the last decision other than the expiry led to (platform D-14). */
const beforeExpiry = (spec: ApprovalSpec): ApprovalState =>
  (spec.decisions ?? []).findLast((d) => d.resultingState !== 'Expired')?.resultingState ?? 'Granted'

/** Whether it forbids: rejected, suspended, or expired while suspended. Takes effect before any other check (decisions §4.6). */
export const forbids = (spec: ApprovalSpec): boolean =>
  spec.state === 'Rejected' ||
  spec.state === 'Suspended' ||
  (spec.state === 'Expired' && beforeExpiry(spec) === 'Suspended')

/** Whether it permits: granted, or expired while granted, which keeps what runs running. */
export const permits = (spec: ApprovalSpec): boolean =>
  spec.state === 'Granted' || (spec.state === 'Expired' && beforeExpiry(spec) === 'Granted')

/**
 * Whether the approval came from this very request: it carries its decisions. A later request may bear the same name
 * (properties changed and changed back) and is not granted by the old approval (decisions §8.22).
 */
export function stemsFrom(approval: ApprovalSpec, name: string, request: ApprovalRequestSpec): boolean {
  const made = request.decisions ?? []
  const carried = approval.decisions ?? []
  return (
    request.state === 'Granted' &&
    approval.approvedRequest?.name === name &&
    made.every((decision, i) => equal(decision, carried[i]))
  )
}

/**
 * When the approval expires; undefined where no clock runs. The clock starts with every grant but a resumption
 * (platform §4.3), so it follows from the decisions.
 */
export function expirationOf(spec: ApprovalSpec, created: string): string | undefined {
  if (spec.state !== 'Granted' && spec.state !== 'Suspended' && spec.state !== 'Expired') return undefined
  const decisions = spec.decisions ?? []
  const grant = decisions.findLast(
    (d, i) => d.resultingState === 'Granted' && decisions[i - 1]?.resultingState !== 'Suspended',
  )
  return addTime(grant?.timestamp ?? created, PERIOD)
}
