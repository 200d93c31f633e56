import type { PresetUrl } from '#domain/kinds/admin/zone.ts'
import { Route, type RouteSpec, type Upstream } from '#domain/kinds/gateway/route.ts'
import { label, type ObjectRef } from '#domain/object.ts'
import type { Child } from '#domain/plan/plan.ts'
import { CALLBACK_PARAMETER } from './callback.ts'
import { addressOf, servedOn } from './address.ts'

/** The gateway that serves a route, and what every route of it needs (§4). */
export interface Host {
  readonly zone: string
  readonly namespace: string
  readonly gateway: ObjectRef
  readonly realmName: string
  /** The normal issuer: part of the trust of every event route, so that none is ever open to all (§5.2.9). */
  readonly issuer: string
  readonly urls: readonly PresetUrl[]
}

export type RouteRole =
  | 'publish'
  | 'publish-proxy'
  | 'callback'
  | 'callback-proxy'
  | 'voyager'
  | 'voyager-proxy'
  | 'sse'
  | 'sse-proxy'

export interface EventRoute {
  readonly name: string
  readonly role: RouteRole
  /** §6.2.2: whether it ends here or goes on to another gateway; no matter of local and proxy EventConfigs. */
  readonly type: 'PRIMARY' | 'PROXY'
  /** Before the base path of the preset; the first one is advertised. */
  readonly paths: readonly string[]
  readonly upstream: Upstream
  readonly trustedIssuers: readonly string[]
  /** Callback routes check who calls; the others only check the issuer (§5.2.9). */
  readonly checkConsumers: boolean
  readonly consumers: readonly string[]
  readonly dynamic?: boolean
  readonly streaming?: boolean
  readonly labels?: Readonly<Record<string, string>>
}

/** Marks "this gateway itself": the real upstream is in the query (§4.2). */
export const SELF_UPSTREAM: Upstream = { scheme: 'http', hostname: 'localhost', port: 8080, path: '/proxy' }

export function eventRoute(host: Host, route: EventRoute): Child<typeof Route> {
  return {
    kind: Route,
    namespace: host.namespace,
    name: route.name,
    labels: { [label('domain')]: 'event', [label('zone')]: host.zone, [label('type')]: route.role, ...route.labels },
    spec: specOf(host, route),
  }
}

function specOf(host: Host, route: EventRoute): RouteSpec {
  return {
    gatewayRef: { name: host.gateway.name, namespace: host.gateway.namespace },
    type: route.type,
    ...servedOn(host.urls, route.paths),
    backend: { upstreams: [route.upstream] },
    passThrough: false,
    security: {
      disableAccessControl: !route.checkConsumers,
      ...(route.consumers.length > 0 && { defaultConsumers: route.consumers }),
      trustedIssuers: route.trustedIssuers,
      realmName: host.realmName,
    },
    ...(route.dynamic && { traffic: { dynamicUpstream: { queryParameter: CALLBACK_PARAMETER } } }),
    ...(route.streaming && { buffering: { disableResponseBuffering: true } }),
  }
}

/** The URL people and backends are told for a route of this host. */
export const urlOf = (host: Host, path: string): string => addressOf(host.urls, path)?.url ?? ''
