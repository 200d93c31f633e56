import { RemoteOrganization } from '#domain/kinds/admin/remote-organization.ts'
import type { RemoteApiSubscriptionStatus } from '#domain/kinds/api/remote-api-subscription.ts'
import type { ApprovalState } from '#domain/kinds/approval/parties.ts'
import { missing, type Obstacle, obstacle } from './obstacle.ts'
import { ofEnvironment } from './of-environment.ts'
import type { World } from './world.ts'

interface Asked {
  readonly environment: string
  readonly organization: string
  /** What the other control plane said so far. */
  readonly told: Partial<RemoteApiSubscriptionStatus>
}

const WITHDRAWN: ReadonlySet<ApprovalState> = new Set(['Rejected', 'Suspended', 'Expired'])

/** What another organization's answer lacks for its API to be used (platform §3.5.6). No answer yet is not a no. */
export function remoteObstacle(world: World, { environment, organization, told }: Asked): Obstacle | undefined {
  const approval = told.approval?.approvalState
  const request = told.approvalRequest?.approvalState
  if (approval !== undefined && WITHDRAWN.has(approval))
    return obstacle('AccessDenied', `The approval of organization ${organization} is ${approval.toLowerCase()}: ask it`)
  if (request === 'Rejected')
    return obstacle('AccessDenied', `Organization ${organization} has rejected the request: ask it`)
  const ref = { namespace: environment, name: organization }
  if (ofEnvironment(world, environment, RemoteOrganization, ref) === undefined)
    return missing('RemoteOrganization', ref, 'create it, or name another in the ApiSubscription')
  if (approval === 'Granted' && request === 'Granted') return undefined
  const state = (approval === 'Granted' ? request : approval) ?? 'no answer yet'
  return obstacle('ApprovalPending', `Organization ${organization} has not granted the subscription (${state}): ask it`)
}
