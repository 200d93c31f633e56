import { environmentOf } from '#domain/environment.ts'
import type {
  RemoteApiSubscriptionSpec,
  RemoteApiSubscriptionStatus,
} from '#domain/kinds/api/remote-api-subscription.ts'
import { type Planner, provisioned, waiting } from './plan.ts'
import { remoteObstacle } from './remote-answer.ts'

/** Platform §3.6, consumer side: what the other organization said stays; telling it about the subscription comes later. */
export const planRemoteApiSubscription: Planner<RemoteApiSubscriptionSpec, RemoteApiSubscriptionStatus> = (
  self,
  world,
) => {
  const status = { ...self.status }
  const environment = environmentOf(self.namespace, self.labels)
  const lacking = remoteObstacle(world, { environment, organization: self.spec.targetOrganization, told: status })
  return lacking === undefined ? provisioned({ status }) : waiting(lacking.obstacle, lacking.message, { status })
}
