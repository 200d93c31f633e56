import type { ManagedRoute, Preset } from '#domain/kinds/admin/zone.ts'
import { Route, type RouteSpec } from '#domain/kinds/gateway/route.ts'
import { isResourceName, nameValue } from '#domain/names.ts'
import { label, type ObjectRef } from '#domain/object.ts'
import { servedOn } from '#domain/topology/address.ts'
import { parseUrl } from '#domain/url.ts'
import { child, type Child } from './plan.ts'

/** What every fixed route of a zone shares. */
export interface RouteSite {
  readonly zone: string
  readonly namespace: string
  readonly gateway: ObjectRef
  readonly preset: Preset
}

const routeName = (name: string): string => nameValue(`gateway--${name}`)

const route = (site: RouteSite, name: string, path: string, spec: Pick<RouteSpec, 'backend'> & Partial<RouteSpec>) =>
  child(Route, {
    namespace: site.namespace,
    name: routeName(name),
    labels: { [label('zone')]: site.zone, [label('type')]: 'real' },
    spec: { gatewayRef: site.gateway, type: 'PRIMARY', ...servedOn(site.preset.urls, [path]), ...spec },
  })

const FACES = [
  { name: 'issuer', path: '' },
  { name: 'certs', path: '/protocol/openid-connect/certs' },
  { name: 'discovery', path: '/.well-known/openid-configuration' },
]

/**
 * The gateway's own issuer: others fetch its keys here (platform §7.2). `localhost:8081` marks the gateway itself and
 * is never dialled (decisions §6.9).
 */
export const identityRoutes = (site: RouteSite, prefix: string, realm: string): readonly Child[] =>
  FACES.map((face) =>
    route(site, `${realm}--${face.name}`, `${prefix}/auth/realms/${realm}${face.path}`, {
      passThrough: true,
      backend: {
        upstreams: [{ scheme: 'http', hostname: 'localhost', port: 8081, path: `/api/v1/${face.name}/${realm}` }],
      },
    }),
  )

/** Why not every fixed route of a zone leads somewhere under a name of its own, in words; undefined when they do. */
export function managedRouteProblem(routes: readonly ManagedRoute[], realm: string): string | undefined {
  const taken = new Map(FACES.map((face) => [routeName(`${realm}--${face.name}`), "a route of the gateway's issuer"]))
  for (const [i, { name, url }] of routes.entries()) {
    const field = `spec.managedRoutes.routes[${i}].name`
    if (parseUrl(url) === undefined)
      return `The url of managed route ${name} is no http address; it needs a scheme and a host`
    if (!isResourceName(nameValue(name)))
      return `"${name}" in ${field} makes no name; use letters, digits, hyphens and dots`
    const other = taken.get(routeName(name))
    if (other !== undefined) return `"${name}" in ${field} comes to the same name as ${other}; choose another one`
    taken.set(routeName(name), `"${name}"`)
  }
  return undefined
}

/** Undefined when the target is no http address. */
export function managedRoute(
  site: RouteSite,
  managed: ManagedRoute,
  team: { realm: string; issuer: string },
): Child | undefined {
  const url = parseUrl(managed.url)
  if (url === undefined) return undefined
  const { scheme, hostname, port, path } = url
  const backend = { upstreams: [{ scheme, hostname, port, path }] }
  if (managed.type === 'Proxy') return route(site, managed.name, managed.path, { passThrough: true, backend })
  return route(site, managed.name, managed.path, {
    backend,
    security: { disableAccessControl: true, trustedIssuers: [team.issuer], realmName: team.realm },
  })
}
