import { keyOf, zoneNamespace } from '#domain/environment.ts'
import type { ApiExposureSpec, ApiExposureStatus } from '#domain/kinds/api/api-exposure.ts'
import {
  type FailoverTarget,
  Route,
  type RouteSpec,
  type RouteTraffic,
  type Upstream,
} from '#domain/kinds/gateway/route.ts'
import type { RouteM2m } from '#domain/kinds/gateway/security.ts'
import { labelValue } from '#domain/names.ts'
import { byNamespaceAndName, label, type Named, refTo } from '#domain/object.ts'
import { addressOf, servedOn } from '#domain/topology/address.ts'
import type { Host } from '#domain/topology/event-route.ts'
import { distinct, GATEWAY_CONSUMER, type Sender, trustedIssuersKeeping } from '#domain/topology/trust.ts'
import { apiName } from './api-path.ts'
import { lmsIssuersOf, type Peer, type Sites } from './api-exposure-zones.ts'
import { type Child, child, type ChildRef, childRef } from './plan.ts'
import type { World } from './world.ts'

/** Everything the routes of one API follow from. */
export interface Scheme {
  readonly spec: ApiExposureSpec
  readonly environment: string
  /** The exposure's own zone. */
  readonly host: Host
  readonly sites: Sites
  readonly upstreams: readonly Upstream[]
  readonly m2m: RouteM2m | undefined
}

export interface ApiRoutes {
  readonly children: readonly Child[]
  /** Routes in zones that do not say all that is needed right now. */
  readonly keep: readonly ChildRef[]
  readonly status: Pick<ApiExposureStatus, 'route' | 'proxyRoutes' | 'failoverRoutes'>
  /** Those zones. */
  readonly lacking: readonly string[]
}

/** Platform §3.4.3: a real route, a proxy per calling zone, a secondary per zone that stands in. */
export function apiRoutes(world: World, scheme: Scheme): ApiRoutes {
  const { callers, standIns } = scheme.sites
  const relays = callers.filter((caller) => !standIns.some((s) => s.zone.name === caller.zone.name))
  const real = realRoute(world, scheme)
  const made = [
    ...relays.map((peer) => ({ peer, type: 'PROXY', route: peer.host && proxyRoute(scheme, peer.host) })),
    ...standIns.map((peer) => ({
      peer,
      type: 'SECONDARY',
      route: peer.host && secondaryRoute(world, scheme, peer.host),
    })),
  ]
  const refsOf = (type: string) =>
    made
      .filter(
        (m) => m.type === type && (m.route !== undefined || world.get(Route, refIn(scheme, m.peer)) !== undefined),
      )
      .map((m) => refTo(refIn(scheme, m.peer)))
      .toSorted(byNamespaceAndName)
  return {
    children: [real, ...made.flatMap((m) => m.route ?? [])],
    keep: made.filter((m) => m.route === undefined).map((m) => childRef(Route, refIn(scheme, m.peer))),
    status: { route: refTo(real), proxyRoutes: refsOf('PROXY'), failoverRoutes: refsOf('SECONDARY') },
    lacking: made.filter((m) => m.route === undefined || !m.peer.lmsIssuer).map((m) => keyOf(m.peer.zone)),
  }
}

const refIn = ({ spec, environment }: Scheme, { zone }: Peer): Named => ({
  namespace: zoneNamespace(environment, zone.name),
  name: apiName(spec.apiBasePath),
})

type Part = Pick<RouteSpec, 'type' | 'backend'> & Partial<RouteSpec>

function routeIn(scheme: Scheme, host: Host, role: string, part: Part): Child<typeof Route> {
  const { spec, sites } = scheme
  const { apiBasePath } = spec
  const own = servedOn(host.urls, [apiBasePath])
  const shared = isShared(scheme, host) ? sites.shared : undefined
  return child(Route, {
    namespace: host.namespace,
    name: apiName(apiBasePath),
    labels: {
      [label('domain')]: 'api',
      [label('basepath')]: labelValue(apiBasePath),
      [label('zone')]: labelValue(host.zone),
      [label('type')]: role,
      ...(part.type === 'SECONDARY' && { [label('failover.secondary')]: 'true' }),
    },
    spec: {
      gatewayRef: host.gateway,
      hostnames: distinct([...own.hostnames, ...(shared?.hostnames ?? [])]),
      paths: distinct([...own.paths, ...(shared?.paths ?? [])]),
      passThrough: false,
      ...part,
    },
  })
}

/** Only gateways with the feature answer under the shared addresses. */
const isShared = ({ sites }: Scheme, host: Host): boolean => sites.shared.zones.includes(host.zone)

const issuersOf = (scheme: Scheme, host: Host): readonly string[] => [
  host.issuer,
  ...(isShared(scheme, host) ? scheme.sites.shared.issuers : []),
]

function proxyRoute(scheme: Scheme, host: Host): Child {
  const { spec, sites } = scheme
  const limit = spec.traffic?.rateLimit?.provider
  const targets = sites.standIns.flatMap(({ zone, host: there }) => targetAt(spec.apiBasePath, zone.name, there))
  const traffic: RouteTraffic = {
    ...(limit && { rateLimit: limit }),
    ...(targets.length > 0 && { failover: { targetZoneName: scheme.host.zone, targets } }),
  }
  return routeIn(scheme, host, 'proxy', {
    type: 'PROXY',
    backend: { upstreams: [upstreamAt(scheme)] },
    security: {
      disableAccessControl: false,
      trustedIssuers: distinct(issuersOf(scheme, host)),
      realmName: scheme.host.realmName,
    },
    ...withTraffic(traffic),
  })
}

function targetAt(basePath: string, zoneName: string, host: Host | undefined): readonly FailoverTarget[] {
  const upstream = host && addressOf(host.urls, basePath)?.upstream
  return upstream === undefined ? [] : [{ zoneName, ...upstream }]
}

/** `hostOf` gives no host without an address. */
const upstreamAt = ({ host, spec }: Scheme): Upstream => addressOf(host.urls, spec.apiBasePath)!.upstream

/** Calls the real route while its zone is healthy and the upstreams themselves otherwise. */
function secondaryRoute(world: World, scheme: Scheme, host: Host): Child {
  const { m2m, upstreams } = scheme
  const { realmName, zone: targetZoneName } = scheme.host
  const senders = scheme.sites.callers.filter((caller) => caller.zone.name !== host.zone)
  const security = { ...(m2m && { m2m }), realmName }
  return routeIn(scheme, host, 'proxy', {
    type: 'SECONDARY',
    backend: { upstreams: [upstreamAt(scheme)] },
    security: {
      disableAccessControl: false,
      defaultConsumers: [GATEWAY_CONSUMER],
      trustedIssuers: trustOf(world, scheme, host, senders),
      realmName,
    },
    traffic: { failover: { targetZoneName, targets: upstreams, security } },
  })
}

/** Its zone's issuer is always trusted, so that tokens are always checked (platform D-10). */
function realRoute(world: World, scheme: Scheme): Child {
  const { host, spec, m2m, upstreams } = scheme
  const { callers, standIns } = scheme.sites
  const remove = spec.transformation?.request?.headers?.remove
  const limit = spec.traffic?.rateLimit?.provider
  const breaker = spec.traffic?.circuitBreaker
  const crossing = callers.length > 0
  // A stand-in forwards here as long as this zone is healthy.
  const senders = crossing ? [...callers, ...standIns] : []
  return routeIn(scheme, host, 'real', {
    type: 'PRIMARY',
    backend: { upstreams },
    security: {
      disableAccessControl: false,
      ...(crossing && { defaultConsumers: [GATEWAY_CONSUMER] }),
      trustedIssuers: trustOf(world, scheme, host, senders),
      realmName: host.realmName,
      ...(m2m && { m2m }),
    },
    ...(remove && { transformation: { request: { headers: { remove } } } }),
    ...withTraffic({ ...(limit && { rateLimit: limit }), ...(breaker && { circuitBreaker: breaker }) }),
  })
}

const withTraffic = (traffic: RouteTraffic): { traffic?: RouteTraffic } =>
  Object.keys(traffic).length === 0 ? {} : { traffic }

/** What the gateway of a briefly unknown zone was trusted with stays (decisions §4.3). */
function trustOf(world: World, scheme: Scheme, host: Host, peers: readonly Peer[]): readonly string[] {
  const senders: readonly Sender[] = peers.map(({ zone, lmsIssuer }) => ({ zone: zone.name, lmsIssuer }))
  const own = issuersOf(scheme, host)
  const told = distinct([...own, ...senders.map((sender) => sender.lmsIssuer)])
  if (senders.every((sender) => sender.lmsIssuer)) return told
  const route = world.get(Route, { namespace: host.namespace, name: apiName(scheme.spec.apiBasePath) })
  const last = (route?.spec.security?.trustedIssuers ?? []).filter((issuer) => !own.includes(issuer))
  const known = world.derive(lmsIssuersOf, scheme.environment)
  return distinct([...told, ...trustedIssuersKeeping({ own: host.issuer, senders, last, known })])
}
