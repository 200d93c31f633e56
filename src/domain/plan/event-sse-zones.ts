import { zoneNamespace } from '#domain/environment.ts'
import type { Upstream } from '#domain/kinds/gateway/route.ts'
import { byNamespaceAndName, type Named, type ObjectRef, refTo } from '#domain/object.ts'
import { addressOf } from '#domain/topology/address.ts'
import type { Host } from '#domain/topology/event-route.ts'
import { supports } from '#domain/topology/mesh.ts'
import { backendUpstream } from './backend-address.ts'
import { type EventExposureSpec, type EventExposureStatus, sseZonesByType } from './event-offer.ts'
import { configAt, memberOf } from './event-zones.ts'
import { linksOf, zoneAt } from './zone-links.ts'
import { isObstacle, isUsable, notReady, type Obstacle, readinessOf, unmet } from './obstacle.ts'
import { indexKey, type View, type World } from './world.ts'

type ExposureView = View<EventExposureSpec, EventExposureStatus>

/** The zone that holds the events, and where its backend offers streams. */
export interface StreamBackend {
  readonly zone: ObjectRef
  readonly host: Host
  readonly upstream: Upstream
}

/** The exposure's own zone, or the target of its proxy EventConfig. */
export function streamBackendOf(self: ExposureView, world: World, environment: string): StreamBackend | Obstacle {
  const own = configAt(world, environment, self.spec.zone.name)
  const name = own?.spec.proxy?.targetZone.name ?? self.spec.zone.name
  const config = configAt(world, environment, name)
  const url = config?.spec.local?.serverSendEventUrl
  if (config === undefined || url === undefined)
    return unmet(
      `Zone ${name} has no event backend: make its EventConfig a local one or let the proxy target another zone`,
    )
  if (!isUsable(readinessOf(config), self.status.route !== undefined)) return notReady('EventConfig', config)
  const zone = refTo(config.spec.zone)
  const host = world.derive(hostOf, environment, zone.namespace, zone.name)
  if (host === undefined) return notReady('Zone', zone)
  const upstream = backendUpstream(url, `spec.local.serverSendEventUrl of the EventConfig of zone ${name}`)
  return isObstacle(upstream) ? upstream : { zone, host, upstream }
}

/** What a route in a zone needs; undefined while the Zone does not say it all. */
export function hostOf(world: World, environment: string, namespace: string, name: string): Host | undefined {
  const zone = zoneAt(world, environment, { namespace, name })
  const { issuer, urls } = world.derive(linksOf, environment, namespace, name)
  const gateway = zone?.status.gateway
  if (zone === undefined || gateway === undefined || !issuer || addressOf(urls, '/') === undefined) return undefined
  const realmName = zone.status.realmName ?? ''
  return { zone: name, namespace: zoneNamespace(environment, name), gateway: refTo(gateway), realmName, issuer, urls }
}

/** Zones with granted SSE subscriptions that the exposure's mesh allows, and the exposure's own when it is a proxy (§4.3). */
export function listenersOf(
  self: ExposureView,
  world: World,
  environment: string,
  backend: Named,
): readonly ObjectRef[] {
  const { zone, eventType } = self.spec
  const member = world.derive(memberOf, environment, zone.name)
  const listening = world.values(sseZonesByType, indexKey(environment, eventType)).map(parseZone)
  const allowed = listening.filter((z) => member === undefined || supports(member, z.name))
  const all = member?.target === undefined ? allowed : [...allowed, refTo(zone)]
  const others = all.filter((z) => z.name !== backend.name)
  // One per name: a reference into another namespace than the zone's must not hide the right one.
  const isServed = (z: Named): boolean => world.derive(hostOf, environment, z.namespace, z.name) !== undefined
  return [...new Set(others.map((z) => z.name))]
    .map((name) => others.filter((z) => z.name === name))
    .map((same) => (same.length > 1 ? (same.find(isServed) ?? same[0]!) : same[0]!))
    .toSorted(byNamespaceAndName)
}

function parseZone(text: string): ObjectRef {
  const cut = text.indexOf('/')
  return { namespace: text.slice(0, cut), name: text.slice(cut + 1) }
}
