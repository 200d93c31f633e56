import type { ProviderSecurity, RouteM2m } from '#domain/kinds/gateway/security.ts'

type Audience = NonNullable<NonNullable<NonNullable<ProviderSecurity['m2m']>['claims']>['aud']>
type RouteClaim = NonNullable<RouteM2m['claims']>[number]

/** What an audience can stand for. */
interface Known {
  readonly providerClientId: string
  readonly basePath: string
}

/** How the upstream is authenticated to, with everything resolved that is known before a call arrives (platform §3.4.3). */
export function routeSecurity(security: ProviderSecurity | undefined, known: Known): RouteM2m | undefined {
  const { externalIDP, basic, scopes, claims } = security?.m2m ?? {}
  const m2m: RouteM2m = {
    ...(externalIDP && { externalIDP }),
    ...(basic && { basic }),
    ...(scopes && scopes.length > 0 && { scopes }),
    ...(claims?.aud && { claims: [claimOf(claims.aud, known)] }),
  }
  return Object.keys(m2m).length === 0 ? undefined : m2m
}

function claimOf({ value, valueFrom }: Audience, known: Known): RouteClaim {
  if (valueFrom === 'ConsumerClientId') return { key: 'aud', valueFrom }
  if (valueFrom === 'ProviderClientId') return { key: 'aud', value: known.providerClientId }
  return { key: 'aud', value: valueFrom === 'BasePath' ? known.basePath : (value ?? '') }
}
