import type { ZoneLinks, ZoneSpec } from '#domain/kinds/admin/zone.ts'
import { joinUrl } from '#domain/url.ts'
import type { Installation } from './world.ts'

/** The realm of the platform's own clients: gateway admin, event admin (platform §6.4). */
export const INTERNAL_REALM = 'rover'

/**
 * Its name in issuer addresses. The product's own issuer serves zones of the same name of several environments, so the
 * environment's realm is part of it; `--` cannot occur in a realm name of an environment.
 */
export const internalRealmName = (spec: ZoneSpec, realmName: string): string =>
  spec.identityProvider?.url === undefined ? `${INTERNAL_REALM}--${realmName}` : INTERNAL_REALM

export const teamRealm = (realmName: string): string => `team-${realmName}`

/** Where issuers of a zone begin: at its own provider, else at the installation's, per zone (decisions §6.6). */
export const issuerBaseOf = (installation: Installation, zone: string, spec: ZoneSpec): string =>
  spec.identityProvider?.url ?? joinUrl(installation.issuerBase, 'zones', zone)

export const issuerOf = (base: string, realm: string): string => joinUrl(base, 'auth/realms', realm)

export const tokenUrlOf = (issuer: string): string => joinUrl(issuer, 'protocol/openid-connect/token')

/** Part of the gateway's address below which its own issuer is served; other than `/` in zones open to the world. */
export const lmsPrefix = (spec: ZoneSpec): string => (spec.visibility === 'World' ? '/spacegate' : '')

/** The gateway's own issuer, for the tokens of the last mile and of cross-zone hops (§5.2.1). */
export const lmsIssuerOf = (gatewayUrl: string, spec: ZoneSpec, realm: string): string =>
  issuerOf(gatewayUrl + lmsPrefix(spec), realm)

export const hasTeamApi = (spec: ZoneSpec): boolean =>
  spec.managedRoutes?.routes.some((route) => route.type === 'TeamAPI') === true

interface Addresses {
  readonly gatewayUrl: string
  readonly issuerBase: string
  readonly realmName: string
}

export function linksOfZone(spec: ZoneSpec, { gatewayUrl, issuerBase, realmName }: Addresses): ZoneLinks {
  return {
    gatewayUrl,
    gatewayIssuer: issuerOf(issuerBase, realmName),
    gatewayLmsIssuer: lmsIssuerOf(gatewayUrl, spec, realmName),
    internalIssuer: issuerOf(issuerBase, internalRealmName(spec, realmName)),
    ...(hasTeamApi(spec) ? { teamApiIssuer: issuerOf(issuerBase, teamRealm(realmName)) } : {}),
    ...(spec.permissions === undefined ? {} : { permissionsUrl: joinUrl(gatewayUrl, spec.permissions.apiBasePath) }),
  }
}
