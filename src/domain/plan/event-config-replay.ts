import { eventRoute, urlOf } from '#domain/topology/event-route.ts'
import { replayPath, replayPaths } from '#domain/topology/paths.ts'
import { GATEWAY_CONSUMER } from '#domain/topology/trust.ts'
import type { Ground } from './event-config-ground.ts'
import { backendUpstream } from './backend-address.ts'
import { isServed, proxyTo, refsTo, trustOf } from './event-config-hops.ts'
import { join, part, type Part } from './event-config-part.ts'
import { type Hops, memberOf } from './event-zones.ts'
import { isObstacle } from './obstacle.ts'

/** §4.3: replay routes exist where there is a replay backend behind them. */
export function planReplay(ground: Ground, hops: Hops): Part {
  const { host } = ground
  const own = ownReplay(ground, hops)
  if (own === undefined) return part({})
  const proxies = hops.replayTo.map((zone) =>
    proxyTo(ground, zone, replayPath(zone), {
      name: replayRouteName(zone),
      role: 'voyager-proxy',
      paths: [replayPath(zone)],
      checkConsumers: false,
      consumers: [],
    }),
  )
  const zones = hops.replayTo.filter((zone) => isServed(ground, zone, replayRouteName(zone)))
  const status = {
    voyagerRoute: { namespace: host.namespace, name: replayRouteName(host.zone) },
    voyagerUrl: urlOf(host, replayPaths(host.zone)[0] ?? ''),
    proxyVoyagerRoutes: refsTo(host, zones.map(replayRouteName)),
    proxyVoyagerUrls: Object.fromEntries(zones.map((zone) => [zone, urlOf(host, replayPath(zone))])),
  }
  return join([own, ...proxies, part({ status })])
}

const replayRouteName = (zone: string): string => `voyager--${zone}`

function ownReplay(ground: Ground, hops: Hops): Part | undefined {
  const { host, self, target, world, environment } = ground
  const name = replayRouteName(host.zone)
  const common = { name, role: 'voyager', paths: replayPaths(host.zone), checkConsumers: false } as const
  if (target === undefined) {
    const url = self.spec.local?.voyagerApiUrl
    if (url === undefined || url === '') return undefined
    const upstream = backendUpstream(url, 'spec.local.voyagerApiUrl')
    if (isObstacle(upstream)) return part({ obstacles: [upstream] })
    const trust = trustOf(ground, { namespace: host.namespace, name }, hops.replayFrom)
    const consumers = trust.senders.length > 0 ? [GATEWAY_CONSUMER] : []
    const route = eventRoute(host, { ...common, type: 'PRIMARY', upstream, trustedIssuers: trust.issuers, consumers })
    return part({ children: [route], notes: trust.notes })
  }
  if (isObstacle(target) || world.derive(memberOf, environment, target.zone)?.replay !== true) return undefined
  return proxyTo(ground, target.zone, replayPath(target.zone), { ...common, consumers: [] })
}
