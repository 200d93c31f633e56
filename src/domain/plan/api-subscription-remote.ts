import { notReady, processing } from '#domain/condition.ts'
import { keyOf } from '#domain/environment.ts'
import { RemoteOrganization } from '#domain/kinds/admin/remote-organization.ts'
import {
  RemoteApiSubscription,
  type RemoteApiSubscriptionSpec,
  type RemoteApiSubscriptionStatus,
} from '#domain/kinds/api/remote-api-subscription.ts'
import { ConsumeRoute } from '#domain/kinds/gateway/consume-route.ts'
import { labelValue } from '#domain/names.ts'
import { label, type ObjectRef, refTo } from '#domain/object.ts'
import type { ApiSubscriptionStatus } from './api-offer.ts'
import type { Scene } from './api-subscription-checks.ts'
import { type Party, party } from './party.ts'
import { isObstacle, type Obstacle, unmet } from './obstacle.ts'
import { type Child, child, type Plan, provisioned, waiting } from './plan.ts'
import { remoteObstacle } from './remote-answer.ts'

type Status = ApiSubscriptionStatus

/** Platform §3.5.6: the API of another organization. The exchange with its control plane is not made here. */
export function planRemote(scene: Scene): Plan<Status> {
  const { self, spec, world, environment } = scene
  const requestor = party(world, environment, 'requestor.application', spec.requestor.application)
  if (isObstacle(requestor)) return waiting(requestor.obstacle, requestor.message, { status: { ...self.status } })
  const remote = remoteChild(scene, requestor)
  const status: Status = { remoteApiSubscription: refTo(remote) }
  const found = world.get(RemoteApiSubscription, remote)
  if (found === undefined) {
    const message = `RemoteApiSubscription ${keyOf(remote)} is being made`
    const plan = waiting('Provisioning', message, { children: [remote], status })
    return {
      ...plan,
      conditions: [notReady('Provisioning', message), processing('RemoteApiSubscriptionPending', message)],
    }
  }
  const route = routeOf(scene, found.status)
  if (!isObstacle(route)) return consumed(scene, requestor, remote, route)
  if (found.status.approval?.approvalState === 'Granted')
    return waiting(route.obstacle, route.message, { children: [remote], status: { ...self.status, ...status } })
  // Platform §3.5.6: without a grant it is denied, and the message says what is missing for one. Whatever it owns beside was
  // made for something else that it asked for before, or for a grant that is no more.
  return { ...waiting('AccessDenied', route.message, { children: [remote], status }), outcome: 'denied' }
}

function remoteChild({ self, spec }: Scene, { team, teamEmail }: Party): Child<typeof RemoteApiSubscription> {
  const { organization = '', apiBasePath, security, requestor } = spec
  const remote: RemoteApiSubscriptionSpec = {
    apiBasePath,
    targetOrganization: organization,
    sourceOrganization: '',
    requester: { application: requestor.application.name, team: { name: team, email: teamEmail } },
    ...(security && { security }),
  }
  const labels = { ...self.labels, [label('org.id')]: labelValue(organization) }
  return child(RemoteApiSubscription, {
    namespace: self.namespace,
    name: self.name,
    labels,
    spec: remote,
    needs: 'exists',
  })
}

function routeOf(
  { spec, world, environment }: Scene,
  remote: Partial<RemoteApiSubscriptionStatus>,
): ObjectRef | Obstacle {
  const { organization = '' } = spec
  const lacking = remoteObstacle(world, { environment, organization, told: remote })
  if (lacking !== undefined) return lacking
  const zone = world.get(RemoteOrganization, { namespace: environment, name: organization })?.spec.zone.name
  if (zone !== spec.zone.name)
    return unmet(`Organization ${organization} is reached through zone ${zone}: subscribe from there`)
  return remote.route ?? unmet(`Organization ${organization} has told no route yet`)
}

function consumed({ self, spec }: Scene, requestor: Party, remote: Child, route: ObjectRef): Plan<Status> {
  const consume = child(ConsumeRoute, {
    namespace: self.namespace,
    name: self.name,
    labels: { ...self.labels, [label('org.id')]: labelValue(spec.organization ?? '') },
    spec: { route: refTo(route), consumerName: requestor.clientId },
  })
  const status = { remoteApiSubscription: refTo(remote), route: refTo(route), consumeRoute: refTo(consume) }
  return provisioned({ children: [remote, consume], status })
}
