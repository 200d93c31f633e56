import type { ResourceOf } from '#domain/kind.ts'
import type { Route } from '#domain/kinds/gateway/route.ts'
import type { Story } from './story.ts'

/** One route in one line, as event-domain §12.1 prints it. */
export interface RouteRow {
  readonly route: string
  readonly zone: string
  readonly type: string
  readonly label: string
  readonly hosts: string
  readonly paths: string
  readonly upstream: string
  readonly trusted: string
  /** `off` when consumers are not checked. */
  readonly allowed: string
}

/** Issuers are printed as I(z) and L(z), so that a mistaken one is seen at once. */
export function rowOf({ metadata, spec }: ResourceOf<typeof Route>): RouteRow {
  const [upstream] = spec.backend.upstreams
  const { scheme, hostname, port, path } = upstream ?? { scheme: '', hostname: '', port: 0, path: '' }
  const shownPort = (scheme === 'https' && port === 443) || (scheme === 'http' && port === 80) ? '' : `:${port}`
  const dynamic = spec.traffic?.dynamicUpstream ? ` dynamic by ${spec.traffic.dynamicUpstream.queryParameter}` : ''
  const { trustedIssuers = [], defaultConsumers = [], disableAccessControl } = spec.security ?? {}
  return {
    route: metadata.name,
    zone: (metadata.namespace ?? '').split('--')[1] ?? '',
    type: spec.type,
    label: metadata.labels?.['cp.ei.vendor.de/type'] ?? '',
    hosts: (spec.hostnames ?? []).join(', '),
    paths: (spec.paths ?? []).join(', '),
    upstream: `${scheme}://${hostname}${shownPort}${path}${dynamic}`,
    trusted: trustedIssuers.map(issuerName).toSorted().join(', '),
    allowed: disableAccessControl ? 'off' : defaultConsumers.toSorted().join(', '),
  }
}

function issuerName(issuer: string): string {
  const normal = /^https:\/\/issuer\.example\/zones\/([^/]+)\/auth\/realms\/prod$/.exec(issuer)?.[1]
  if (normal !== undefined) return `I(${normal})`
  const lms = /^https:\/\/([^./]+)\.gw\.example(\/.*)?\/auth\/realms\/prod$/.exec(issuer)?.[1]
  return lms === undefined ? issuer : `L(${lms})`
}

export const byZoneAndName = (a: { zone: string; route: string }, b: typeof a): number =>
  `${a.zone} ${a.route}` < `${b.zone} ${b.route}` ? -1 : 1

/** The event route of that name at the gateway of that zone. */
export const rowAt = (story: Story, route: string, zone: string): RouteRow | undefined =>
  story
    .eventRoutes()
    .map(rowOf)
    .find((row) => row.route === route && row.zone === zone)
