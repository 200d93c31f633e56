import { environmentOf } from '#domain/environment.ts'
import { Zone, type ZoneSpec, type ZoneStatus } from '#domain/kinds/admin/zone.ts'
import type { ApiExposureSpec } from '#domain/kinds/api/api-exposure.ts'
import type { ObjectRef } from '#domain/object.ts'
import { refTo } from '#domain/object.ts'
import { servedOn } from '#domain/topology/address.ts'
import type { Host } from '#domain/topology/event-route.ts'
import { apiName } from './api-path.ts'
import { callingZones, failoverCallers, parseZoneKey } from './api-offer.ts'
import { hostOf } from './event-sse-zones.ts'
import { linksOf, zoneAt } from './zone-links.ts'
import { otherEnvironment } from './of-environment.ts'
import { defineAggregate, indexKey, type World } from './world.ts'
import { presetFor } from './zone-presets.ts'

const FAILOVER = 'ConsumerFailover'

const environmentKey = ({ metadata }: { metadata: { namespace?: string | undefined; labels?: any } }): string =>
  environmentOf(metadata.namespace ?? '', metadata.labels)

/** All zones of an environment, as `namespace|name`. */
export const zonesOfEnvironment = defineAggregate<ZoneSpec, ZoneStatus>({
  name: 'zonesOfEnvironment',
  kind: Zone,
  entries: (zone) => [
    { key: environmentKey(zone), value: indexKey(zone.metadata.namespace ?? '', zone.metadata.name) },
  ],
})

/** Those whose gateway answers for others under a shared address. */
const failoverZones = defineAggregate<ZoneSpec, ZoneStatus>({
  name: 'zonesWithConsumerFailover',
  kind: Zone,
  entries: (zone) =>
    zone.metadata.deletionTimestamp === undefined && presetFor(zone.spec, FAILOVER) !== undefined
      ? [{ key: environmentKey(zone), value: indexKey(zone.metadata.namespace ?? '', zone.metadata.name) }]
      : [],
})

/** Zones that stand in for others, by name. */
export const zonesWithFailover = (world: World, environment: string): readonly ObjectRef[] =>
  world.values(failoverZones, environment).map(parseZoneKey)

/** Under which further addresses zones with failover serve an API, and whose tokens arrive there. */
export interface Shared {
  readonly zones: readonly string[]
  readonly hostnames: readonly string[]
  readonly paths: readonly string[]
  readonly issuers: readonly string[]
}

const NOTHING_SHARED: Shared = { zones: [], hostnames: [], paths: [], issuers: [] }

export function sharedAddresses(world: World, environment: string, basePath: string): Shared {
  const faces = world.derive(zonesWithFailover, environment).map((ref) => {
    const zone = zoneAt(world, environment, ref)
    const urls = (zone && presetFor(zone.spec, FAILOVER)?.urls) ?? []
    const { issuer } = world.derive(linksOf, environment, ref.namespace, ref.name)
    return { zone: ref.name, issuer, ...servedOn(urls, [basePath]) }
  })
  return {
    zones: faces.map((face) => face.zone),
    hostnames: faces.flatMap((face) => face.hostnames),
    paths: faces.flatMap((face) => face.paths),
    issuers: faces.flatMap((face) => face.issuer ?? []),
  }
}

/** A zone other than the exposure's. `host` is undefined while its Zone does not say all that is needed (decisions §4.3). */
export interface Peer {
  readonly zone: ObjectRef
  readonly host: Host | undefined
  readonly lmsIssuer: string | undefined
}

export interface Sites {
  /** Zones the API is called from. */
  readonly callers: readonly Peer[]
  /** Zones that stand in for the exposure's, in the order given. */
  readonly standIns: readonly Peer[]
  readonly shared: Shared
}

export function sitesOf(world: World, environment: string, spec: ApiExposureSpec): Sites {
  const { apiBasePath, zone, traffic } = spec
  const key = indexKey(environment, apiName(apiBasePath))
  const calling = world.values(callingZones, key).map(parseZoneKey)
  const failsOver = world.values(failoverCallers, key).length > 0
  // One of another environment would take the route of the caller that has its name.
  const standIns = (traffic?.failover?.zones ?? []).filter(
    (ref) => otherEnvironment(world, environment, Zone, ref) === undefined,
  )
  return {
    callers: peersOf(world, environment, calling, zone.name),
    standIns: peersOf(world, environment, standIns, zone.name),
    shared: failsOver ? world.derive(sharedAddresses, environment, apiBasePath) : NOTHING_SHARED,
  }
}

/** One per name: a reference into another namespace than the zone's must not hide the right one. */
function peersOf(world: World, environment: string, refs: readonly ObjectRef[], own: string): readonly Peer[] {
  const peers = refs
    .filter((ref) => ref.name !== own)
    .map((ref) => ({
      zone: refTo(ref),
      host: world.derive(hostOf, environment, ref.namespace, ref.name),
      lmsIssuer: world.derive(linksOf, environment, ref.namespace, ref.name).lmsIssuer,
    }))
  const names = [...new Set(peers.map((peer) => peer.zone.name))]
  return names.map((name) => {
    const same = peers.filter((peer) => peer.zone.name === name)
    return same.find((peer) => peer.host !== undefined) ?? same[0]!
  })
}

/** The LMS issuers of all zones that have said theirs. */
export const lmsIssuersOf = (world: World, environment: string): readonly string[] =>
  world
    .values(zonesOfEnvironment, environment)
    .map(parseZoneKey)
    .flatMap((zone) => world.derive(linksOf, environment, zone.namespace, zone.name).lmsIssuer ?? [])
