import { refTo } from '#domain/object.ts'
import { type Ingress, NO_INGRESS, projectIngress } from '#domain/topology/callback.ts'
import { eventRoute, SELF_UPSTREAM, urlOf } from '#domain/topology/event-route.ts'
import { callbackPath, PUBLISH_PATHS, publishPath } from '#domain/topology/paths.ts'
import { callbackConsumers } from '#domain/topology/trust.ts'
import type { Ground, Target } from './event-config-ground.ts'
import { backendUpstream } from './backend-address.ts'
import { isServed, proxyTo, refsTo, trustOf } from './event-config-hops.ts'
import { join, part, type Part } from './event-config-part.ts'
import { planReplay } from './event-config-replay.ts'
import { type Hops, hopsOf, memberOf, zonesOf } from './event-zones.ts'
import { isObstacle, type Obstacle } from './obstacle.ts'

/** §4, §6.2.1: the routes of one zone. */
export function planRoutes(ground: Ground): Part {
  const hops = ground.world.derive(hopsOf, ground.environment, ground.host.zone)
  return join([planPublish(ground, hops), planCallback(ground, hops), planReplay(ground, hops)])
}

/** §4.1 */
function planPublish(ground: Ground, hops: Hops): Part {
  const { host, self, target } = ground
  const ref = { namespace: host.namespace, name: 'publish' }
  const status = { publishRoute: refTo(ref), publishUrl: urlOf(host, publishPath) }
  const common = { name: ref.name, paths: PUBLISH_PATHS, checkConsumers: false, consumers: [] }
  if (self.spec.local !== undefined) {
    const upstream = backendUpstream(self.spec.local.publishEventUrl, 'spec.local.publishEventUrl')
    if (isObstacle(upstream)) return part({ obstacles: [upstream] })
    const trust = trustOf(ground, ref, hops.publishFrom)
    const route = eventRoute(host, {
      ...common,
      role: 'publish',
      type: 'PRIMARY',
      upstream,
      trustedIssuers: trust.issuers,
    })
    return part({ children: [route], status, notes: trust.notes })
  }
  if (target === undefined || isObstacle(target)) return part({})
  return join([part({ status }), proxyTo(ground, target.zone, publishPath, { ...common, role: 'publish-proxy' })])
}

/** §4.2, §5.2.4–7 */
function planCallback(ground: Ground, hops: Hops): Part {
  return join([
    primaryCallback(ground, hops),
    ...hops.callbackTo.map((zone) => outbound(ground, zone)),
    ingress(ground, hops),
  ])
}

function primaryCallback(ground: Ground, hops: Hops): Part {
  const { host, clientId } = ground
  const path = callbackPath(host.zone)
  const ref = { namespace: host.namespace, name: callbackRouteName(host.zone) }
  const trust = trustOf(ground, ref, hops.callbackFrom)
  const route = eventRoute(host, {
    name: ref.name,
    role: 'callback',
    type: 'PRIMARY',
    paths: [path],
    upstream: SELF_UPSTREAM,
    trustedIssuers: trust.issuers,
    checkConsumers: true,
    consumers: callbackConsumers(clientId, trust.senders),
    dynamic: true,
  })
  return part({ children: [route], status: { callbackRoute: refTo(ref) }, notes: trust.notes })
}

const callbackRouteName = (zone: string): string => `callback--${zone}`

/** §5.2.4: the backend enters with its own token and its own client. */
const outbound = (ground: Ground, zone: string): Part =>
  proxyTo(ground, zone, callbackPath(zone), {
    name: callbackRouteName(zone),
    role: 'callback-proxy',
    paths: [callbackPath(zone)],
    checkConsumers: true,
    consumers: [ground.clientId],
  })

/** §6.2.5, §6.2.8: where the backend enters. */
function ingress(ground: Ground, hops: Hops): Part {
  const { host, target } = ground
  if (target !== undefined) return part({ status: { proxyCallbackRoutes: [], ...projected(ground, target) } })
  const zones = hops.callbackTo.filter((zone) => isServed(ground, zone, callbackRouteName(zone)))
  return part({
    status: {
      callbackUrl: urlOf(host, callbackPath(host.zone)),
      proxyCallbackRoutes: refsTo(host, zones.map(callbackRouteName)),
      proxyCallbackUrls: Object.fromEntries(zones.map((zone) => [zone, urlOf(host, callbackPath(zone))])),
    },
  })
}

function projected({ world, environment, host }: Ground, target: Target | Obstacle): Ingress {
  if (isObstacle(target)) return NO_INGRESS
  const proxy = world.derive(memberOf, environment, host.zone)
  const backend = world.derive(memberOf, environment, target.zone)
  if (proxy === undefined || backend === undefined) return NO_INGRESS
  const { callbackUrl = '', proxyCallbackUrls = {} } = target.config.status
  return projectIngress({
    proxy,
    backend,
    ingress: { callbackUrl, proxyCallbackUrls },
    zones: zonesOf(world, environment),
  })
}
