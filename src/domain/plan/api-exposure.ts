import { blocked, notReady as notReadyVerdict, type Verdict, verdict } from '#domain/condition.ts'
import { environmentOf, keyOf } from '#domain/environment.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { ApiExposure, type ApiExposureSpec, type ApiExposureStatus } from '#domain/kinds/api/api-exposure.ts'
import type { Upstream } from '#domain/kinds/gateway/route.ts'
import type { ObjectRef } from '#domain/object.ts'
import { parseUrl, shownUrl } from '#domain/url.ts'
import { apiInForce, type RegisteredApi } from './api.ts'
import { categoryObstacle } from './api-category.ts'
import { apiExposureInForce, providerOfExposure } from './api-offer.ts'
import { apiName, basePathProblem } from './api-path.ts'
import { apiRoutes, type ApiRoutes, type Scheme } from './api-exposure-routes.ts'
import { routeSecurity } from './api-exposure-security.ts'
import { sitesOf } from './api-exposure-zones.ts'
import { scopesObstacle } from './api-scopes.ts'
import { type Party, party } from './party.ts'
import { hostOf } from './event-sse-zones.ts'
import { zoneAt } from './zone-links.ts'
import { absent, astray } from './of-environment.ts'
import { isObstacle, isUsable, notReady, obstacle, type Obstacle, readinessOf, unmet } from './obstacle.ts'
import { denied, type Plan, type Planner, provisioned, waiting } from './plan.ts'
import type { View, World } from './world.ts'

type ExposureView = View<ApiExposureSpec, ApiExposureStatus>

/** Platform §3.4: makes an API callable in every zone it is subscribed from. */
export const planApiExposure: Planner<ApiExposureSpec, ApiExposureStatus> = (self, world) => {
  const environment = environmentOf(self.namespace, self.labels)
  const { apiBasePath } = self.spec
  const api = world.derive(apiInForce, environment, apiName(apiBasePath))
  if (api === undefined) return unregistered(apiBasePath)
  if (api.basePath !== apiBasePath) return misspelt(self, world, environment, api)
  const inForce = world.derive(apiExposureInForce, environment, apiBasePath)
  if (inForce !== undefined && keyOf(inForce) !== keyOf(self)) return superseded(self, world, inForce)
  const known = [apiExists(api), verdict('ApiExposureActive', true, 'Active', 'This is the exposure of its base path')]
  const scheme = schemeOf(self, world, environment, api)
  if (isObstacle(scheme)) return held(self, scheme, known)
  return exposed(scheme, apiRoutes(world, scheme), known, straysOf(world, environment, self.spec))
}

const apiExists = ({ ref }: RegisteredApi): Verdict =>
  verdict('ApiExists', true, 'ApiExists', `Api ${keyOf(ref)} registers the base path`)

/** Without the API nothing of it is served (platform §3.4.2). */
function unregistered(basePath: string): Plan<ApiExposureStatus> {
  const message = basePathProblem(basePath) ?? `No Api registers "${basePath}": create an ApiSpecification for it`
  const noApi = verdict('ApiExists', false, 'NoApi', message)
  return ended(message, [noApi])
}

function ended(message: string, verdicts: readonly Verdict[]): Plan<ApiExposureStatus> {
  const plan = denied('PreconditionNotMet', message, { status: { active: false } })
  return { ...plan, conditions: [notReadyVerdict('PreconditionNotMet', message), blocked(message), ...verdicts] }
}

/** Its routes stay, unless an exposure of the API that is registered needs their names (platform §3.4.2). */
function misspelt(self: ExposureView, world: World, environment: string, api: RegisteredApi): Plan<ApiExposureStatus> {
  const message = `Api ${keyOf(api.ref)} registers "${api.basePath}", not "${self.spec.apiBasePath}": write spec.apiBasePath exactly so`
  const noApi = verdict('ApiExists', false, 'NoApi', message)
  if (world.derive(apiExposureInForce, environment, api.basePath) !== undefined) return ended(message, [noApi])
  return waiting('PreconditionNotMet', message, { status: { ...self.status, active: false }, conditions: [noApi] })
}

/** Another exposure is in force: what this one had is taken over or goes. */
function superseded(self: ExposureView, world: World, inForce: ObjectRef): Plan<ApiExposureStatus> {
  const other = world.get(ApiExposure, inForce)
  const owner = other && providerOfExposure(other)
  const by = owner === undefined ? '' : ` of application ${keyOf(owner)}`
  const message = `ApiExposure ${keyOf(inForce)}${by} is older and already exposes "${self.spec.apiBasePath}": delete one of the two`
  return ended(message, [verdict('ApiExposureActive', false, 'NotActive', message)])
}

function held(
  self: ExposureView,
  { obstacle: reason, message }: Obstacle,
  conditions: readonly Verdict[],
): Plan<ApiExposureStatus> {
  return waiting(reason, message, { status: { ...self.status, active: true }, conditions })
}

/** The order is the rule (platform §3.4.2). */
function schemeOf(self: ExposureView, world: World, environment: string, api: RegisteredApi): Scheme | Obstacle {
  const { spec } = self
  const provider = providingApplication(self, world, environment)
  if (isObstacle(provider)) return provider
  const category = categoryObstacle(world, environment, api.category, providerOfExposure(self)?.namespace ?? '')
  if (category !== undefined) return category
  const m2m = spec.security?.m2m
  const scopes =
    m2m?.externalIDP === undefined ? scopesObstacle(api, m2m?.scopes, 'spec.security.m2m.scopes') : undefined
  if (scopes !== undefined) return scopes
  if (spec.traffic?.failover?.zones?.some((zone) => zone.name === spec.zone.name) === true)
    return unmet(`Zone ${spec.zone.name} cannot stand in for itself: remove it from spec.traffic.failover.zones`)
  const upstreams = upstreamsOf(spec)
  if (isObstacle(upstreams)) return upstreams
  const { zone: ref, apiBasePath } = spec
  const zone = zoneAt(world, environment, ref)
  if (zone === undefined)
    return absent(world, environment, { kind: Zone, ref, field: 'spec.zone' }, 'create it or correct spec.zone')
  const host = world.derive(hostOf, environment, ref.namespace, ref.name)
  if (host === undefined || !isUsable(readinessOf(zone), self.status.route !== undefined)) return notReady('Zone', ref)
  const known = { providerClientId: provider.clientId, basePath: apiBasePath }
  const sites = sitesOf(world, environment, spec)
  return { spec, environment, host, sites, upstreams, m2m: routeSecurity(spec.security, known) }
}

function providingApplication(self: ExposureView, world: World, environment: string): Party | Obstacle {
  const provider = providerOfExposure(self)
  if (provider === undefined) return unmet('No application provides the API: name it in spec.provider')
  return party(world, environment, 'provider', provider)
}

function upstreamsOf({ upstreams }: ApiExposureSpec): readonly Upstream[] | Obstacle {
  const parsed = upstreams.map(({ url, weight }) => ({ url, weight, at: parseUrl(url) }))
  const lost = parsed.find(({ at }) => at === undefined)
  if (lost !== undefined)
    return obstacle(
      'ValidationFailed',
      `The upstream "${shownUrl(lost.url)}" is no http or https address without a user name: correct spec.upstreams`,
    )
  return parsed.map(({ at, weight }) => {
    const { scheme, hostname, port, path } = at!
    return { scheme, hostname, port, path, ...(weight !== undefined && { weight }) }
  })
}

/** Zones of other environments cannot stand in. */
function straysOf(world: World, environment: string, { traffic }: ApiExposureSpec): readonly string[] {
  const field = 'spec.traffic.failover.zones'
  return (traffic?.failover?.zones ?? []).flatMap((ref) => astray(world, environment, { kind: Zone, ref, field }) ?? [])
}

function exposed(
  { spec, host }: Scheme,
  routes: ApiRoutes,
  known: readonly Verdict[],
  strays: readonly string[],
): Plan<ApiExposureStatus> {
  const { children, keep, status, lacking } = routes
  const unserved = `Zones without an address or issuer yet: ${lacking.join(', ')}; see their conditions`
  const problems = [...(lacking.length === 0 ? [] : [unserved]), ...strays]
  const served =
    problems.length === 0
      ? verdict('ZonesServed', true, 'Served', 'Every zone it is called from has a route')
      : verdict('ZonesServed', false, 'ZoneNotServed', problems.join('; '))
  return provisioned({
    children,
    keep,
    status: { active: true, ...status },
    message: `"${spec.apiBasePath}" has its route in zone ${host.zone}`,
    conditions: [...known, served],
  })
}
