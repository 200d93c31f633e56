import { ENVIRONMENT_LABEL, environmentOf, zoneNamespace } from '#domain/environment.ts'
import type { Preset, ZoneSpec, ZoneStatus } from '#domain/kinds/admin/zone.ts'
import { Consumer } from '#domain/kinds/gateway/consumer.ts'
import { Gateway, type GatewaySpec } from '#domain/kinds/gateway/gateway.ts'
import { isNamespaceName } from '#domain/names.ts'
import { byNamespaceAndName, label, refTo, type ObjectRef } from '#domain/object.ts'
import { generatedSecret } from './client-secret.ts'
import { realmNameOf } from './environment.ts'
import { child, provisioned, waiting, type Child, type Planner } from './plan.ts'
import { identityChildren, gracePeriod, type IdentitySite } from './zone-identity.ts'
import { hasTeamApi, INTERNAL_REALM, issuerBaseOf, linksOfZone, lmsPrefix, teamRealm } from './zone-issuers.ts'
import { defaultPreset, gatewayUrl, loopbackHost, presetFor } from './zone-presets.ts'
import { rivalry } from './zone-rivals.ts'
import { identityRoutes, managedRoute, managedRouteProblem, type RouteSite } from './zone-routes.ts'
import type { View, World } from './world.ts'

/** The gateway and the consumer of every cross-zone hop carry this name in every zone (§5.2.5). */
export const GATEWAY = 'gateway'

/** A zone stands for a gateway, an issuer and everything around them (platform §7.2; smallest form: decisions §7.2). */
export const planZone: Planner<ZoneSpec, ZoneStatus> = (self, world) => {
  const environment = environmentOf(self.namespace, self.labels)
  const namespace = zoneNamespace(environment, self.name)
  const realmName = world.derive(realmNameOf, environment)
  const preset = defaultPreset(self.spec)
  const url = preset && gatewayUrl(preset)
  const wrong =
    placeProblem(environment, namespace) ?? problem(self.spec, realmName) ?? rivalry(world, self, environment)
  if (wrong !== undefined || preset === undefined || url === undefined) {
    return waiting('ValidationFailed', wrong ?? NO_ADDRESS, { status: { namespace, realmName } })
  }
  const issuerBase = issuerBaseOf(world.installation, self.name, self.spec)
  const links = linksOfZone(self.spec, { gatewayUrl: url, issuerBase, realmName })
  const site = { zone: self.name, namespace, spec: self.spec, issuerBase, realmName, links }
  const fixed = fixedRoutes(site, preset)
  return provisioned({
    children: [...identityChildren(site, world), ...gatewayChildren(site, world), ...fixed.identity, ...fixed.managed],
    status: statusOf(self, site, fixed.managed),
  })
}

/** Everything of a zone lives in a namespace that is named after it, so that has to be one, and of its environment. */
function placeProblem(environment: string, namespace: string): string | undefined {
  if (isNamespaceName(namespace)) return environmentOf(namespace) === environment ? undefined : strayLabel(namespace)
  const said = `${namespace}, where the objects of this zone would live, is no namespace`
  if (!isNamespaceName(environment.toLowerCase()))
    return `${said}; correct the label ${ENVIRONMENT_LABEL}: lower case letters, digits and hyphens`
  return `${said}, because it has more than 63 characters; give the zone a shorter name`
}

/** A label must never open another environment (decisions §3). */
export const strayLabel = (namespace: string): string =>
  `${namespace} belongs to environment ${environmentOf(namespace)}; correct the label ${ENVIRONMENT_LABEL}: lower case letters and digits, without two hyphens in a row`

const NO_ADDRESS = 'Every URL of the default preset is hidden; leave one of them visible'

/** Decisions §4.15 and §8.16. */
function problem(spec: ZoneSpec, realmName: string): string | undefined {
  if (realmName === INTERNAL_REALM) {
    return `Realm ${realmName} is the platform's own; give the Environment another realmName`
  }
  const host = loopbackHost(spec)
  if (host !== undefined) {
    return `The gateway host ${host} is only reachable from its own machine; name the host that other zones call`
  }
  if (defaultPreset(spec) === undefined) return 'No gateway preset is the default; set default: true on one of them'
  return managedRouteProblem(spec.managedRoutes?.routes ?? [], realmName)
}

function gatewayChildren(site: IdentitySite, world: World): readonly Child[] {
  const { namespace, zone } = site
  const labels = { [label('zone')]: zone }
  const gateway = { name: GATEWAY, namespace }
  return [
    child(Gateway, { namespace, name: GATEWAY, labels, spec: gatewaySpec(site, world) }),
    child(Consumer, { namespace, name: GATEWAY, labels, spec: { gateway, name: GATEWAY } }),
  ]
}

function gatewaySpec({ spec, namespace, links }: IdentitySite, world: World): GatewaySpec {
  const { redis } = spec
  const { admin } = spec.gateway
  if (admin === undefined) return redis === undefined ? {} : { redis }
  const { url, clientId = INTERNAL_REALM } = admin
  const clientSecret = admin.clientSecret || generatedSecret(world, namespace, INTERNAL_REALM)
  return {
    admin: { url, clientId, clientSecret, issuerUrl: links.internalIssuer },
    ...(redis === undefined ? {} : { redis }),
  }
}

function fixedRoutes(site: IdentitySite, preset: Preset): { identity: readonly Child[]; managed: readonly Child[] } {
  const { zone, namespace, spec, realmName, links } = site
  const routeSite: RouteSite = { zone, namespace, gateway: { name: GATEWAY, namespace }, preset }
  const team = { realm: teamRealm(realmName), issuer: links.teamApiIssuer ?? '' }
  const managed = (spec.managedRoutes?.routes ?? []).map((route) => managedRoute(routeSite, route, team))
  return {
    identity: identityRoutes(routeSite, lmsPrefix(spec), realmName),
    managed: managed.filter((route) => route !== undefined),
  }
}

function statusOf(self: View<ZoneSpec>, site: IdentitySite, managed: readonly Child[]): ZoneStatus {
  const { zone, namespace, realmName, links, spec } = site
  const at = (name: string): ObjectRef => ({ name, namespace })
  return {
    namespace,
    realmName,
    identityProvider: at(zone),
    identityRealm: at(realmName),
    internalIdentityRealm: at(INTERNAL_REALM),
    ...(hasTeamApi(spec) ? { teamApiIdentityRealm: at(teamRealm(realmName)) } : {}),
    gateway: at(GATEWAY),
    gatewayAdminClient: at(INTERNAL_REALM),
    gatewayConsumer: at(GATEWAY),
    managedRoutes: managed.map(refTo).toSorted(byNamespaceAndName),
    features: featuresOf(self.spec),
    links,
  }
}

/** Our own gateway counts by itself; an external one needs a shared counter store to limit rates. */
const featuresOf = (spec: ZoneSpec): ZoneStatus['features'] => [
  { name: 'ConsumerFailover', enabled: presetFor(spec, 'ConsumerFailover') !== undefined },
  { name: 'Permissions', enabled: spec.permissions !== undefined },
  { name: 'RateLimiting', enabled: spec.gateway.admin === undefined || spec.redis !== undefined },
  { name: 'SecretRotation', enabled: gracePeriod(spec) !== undefined },
]
