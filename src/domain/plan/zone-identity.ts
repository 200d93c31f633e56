import type { ZoneLinks, ZoneSpec } from '#domain/kinds/admin/zone.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { IdentityProvider, type IdentityProviderSpec } from '#domain/kinds/identity/identity-provider.ts'
import { Realm, type RealmSpec } from '#domain/kinds/identity/realm.ts'
import { label, type ObjectRef } from '#domain/object.ts'
import { joinUrl } from '#domain/url.ts'
import { hasLostSecret, NEW_SECRET } from './client-secret.ts'
import { child, type Child } from './plan.ts'
import type { World } from './world.ts'
import { hasTeamApi, INTERNAL_REALM, internalRealmName, teamRealm } from './zone-issuers.ts'

/** How long an old secret stays valid when the zone does not say. */
const GRACE_PERIOD = '24h'

export interface IdentitySite {
  readonly zone: string
  readonly namespace: string
  readonly spec: ZoneSpec
  readonly issuerBase: string
  readonly realmName: string
  readonly links: ZoneLinks
}

/** Without a url the product's own issuer; with a url but no admin access an external one (decisions §8.4). */
function providerSpec({ spec, issuerBase }: IdentitySite): IdentityProviderSpec {
  const { url, admin } = spec.identityProvider ?? {}
  if (url === undefined) return { url: issuerBase, managed: 'Own' }
  if (admin === undefined) return { url, managed: 'External' }
  return {
    url,
    managed: 'Admin',
    adminUrl: admin.url ?? joinUrl(url, 'auth/admin/realms'),
    adminClientId: admin.clientId,
    adminUserName: admin.userName,
    adminPassword: admin.password,
  }
}

/** The grace period of an old secret; undefined where it ends at once. */
export function gracePeriod(spec: ZoneSpec): string | undefined {
  const rotation = spec.identityProvider?.secretRotation
  return rotation?.enabled === false ? undefined : (rotation?.gracePeriod ?? GRACE_PERIOD)
}

function rotationOf(spec: ZoneSpec): RealmSpec['secretRotation'] {
  const grace = gracePeriod(spec)
  if (grace === undefined) return undefined
  const expirationPeriod = spec.identityProvider?.secretRotation?.expirationPeriod
  return { gracePeriod: grace, expirationPeriod, remainingRotationPeriod: expirationPeriod }
}

/** The provider, its realms and the client that administers the gateway (platform §7.2). */
export function identityChildren(site: IdentitySite, world: World): readonly Child[] {
  const { zone, namespace, spec, realmName, links } = site
  const labels = { [label('zone')]: zone }
  const identityProvider: ObjectRef = { name: zone, namespace }
  const claims: RealmSpec['claims'] = [
    { name: 'originZone', type: 'HardcodedClaim', value: zone },
    { name: 'originStargate', type: 'HardcodedClaim', value: links.gatewayUrl },
    { name: 'clientId', type: 'SessionNote' },
  ]
  const realm = (name: string, more: Partial<RealmSpec> = {}): Child =>
    child(Realm, { namespace, name, labels, spec: { identityProvider, name, claims, ...more } })

  return [
    child(IdentityProvider, { namespace, name: zone, labels, spec: providerSpec(site) }),
    realm(realmName, { secretRotation: rotationOf(spec) }),
    realm(INTERNAL_REALM, { name: internalRealmName(spec, realmName) }),
    ...(hasTeamApi(spec) ? [realm(teamRealm(realmName))] : []),
    gatewayAdminClient(site, world, labels),
  ]
}

/** Its secret is the one the zone names, else made once by the server and then left alone; a new one where the zone names it no longer. */
function gatewayAdminClient(
  { namespace, spec }: IdentitySite,
  world: World,
  labels: Readonly<Record<string, string>>,
): Child {
  const { clientId = INTERNAL_REALM, clientSecret: given } = spec.gateway.admin ?? {}
  const lost = !given && world.derive(hasLostSecret, namespace, INTERNAL_REALM)
  const clientSecret = lost ? NEW_SECRET : given || undefined
  return child(Client, {
    namespace,
    name: INTERNAL_REALM,
    labels,
    spec: { realm: { name: INTERNAL_REALM, namespace }, clientId, clientSecret },
    initial: clientSecret === undefined ? ['clientSecret'] : undefined,
  })
}
