import { environmentOf, keyOf } from '#domain/environment.ts'
import { RemoteOrganization } from '#domain/kinds/admin/remote-organization.ts'
import type {
  RemoteApiSubscriptionSpec,
  RemoteApiSubscriptionStatus,
} from '#domain/kinds/api/remote-api-subscription.ts'
import { type Planner, provisioned, waiting } from './plan.ts'

/** Platform §3.6, consumer side: what the other organization said stays; telling it about the subscription comes later. */
export const planRemoteApiSubscription: Planner<RemoteApiSubscriptionSpec, RemoteApiSubscriptionStatus> = (
  self,
  world,
) => {
  const status = { ...self.status }
  const ref = { namespace: environmentOf(self.namespace, self.labels), name: self.spec.targetOrganization }
  if (world.get(RemoteOrganization, ref) === undefined)
    return waiting('PreconditionNotMet', `RemoteOrganization ${keyOf(ref)} does not exist: create it`, { status })
  if (status.approval?.approvalState === 'Granted') return provisioned({ status })
  const message = `Organization ${ref.name} has not granted the subscription yet: its answer appears in status.approval`
  return waiting('ApprovalPending', message, { status })
}
