import type { ResourceOf } from '#domain/kind.ts'
import type { Route } from '#domain/kinds/gateway/route.ts'

/** What a call carries: who issued its token, and to whom. */
export interface Token {
  readonly issuer: string
  readonly consumer: string
}

export type Journey =
  | { readonly type: 'arrived'; readonly at: string; readonly hops: readonly string[] }
  | { readonly type: 'refused'; readonly by: string; readonly why: string }

/** How gateways are reached: their normal and their own (LMS) issuer, by zone. */
export interface Issuers {
  readonly normal: (zone: string) => string
  readonly lms: (zone: string) => string
}

/**
 * Sends a call through the routes as gateways would, written from §4 and §5.2 of the specification alone: the issuer is
 * checked on every hop, the consumer where the route says so, and the next hop is made by `gateway`.
 */
export function travel(
  routes: readonly ResourceOf<typeof Route>[],
  url: string,
  token: Token,
  issuers: Issuers,
): Journey {
  const hops: string[] = []
  let target = new URL(url)
  let carried = token
  for (let i = 0; i < 5; i++) {
    const route = find(routes, target)
    if (route === undefined) return { type: 'refused', by: target.host, why: `no route for ${target.pathname}` }
    const zone = (route.metadata.namespace ?? '').split('--')[1] ?? ''
    const by = `${zone} ${route.metadata.name}`
    const { trustedIssuers = [], defaultConsumers = [], disableAccessControl } = route.spec.security ?? {}
    if (!trustedIssuers.includes(carried.issuer)) return { type: 'refused', by, why: `issuer ${carried.issuer}` }
    if (!disableAccessControl && !defaultConsumers.includes(carried.consumer))
      return { type: 'refused', by, why: `consumer ${carried.consumer}` }
    hops.push(`${zone} ${route.spec.type}`)
    const parameter = route.spec.traffic?.dynamicUpstream?.queryParameter
    if (parameter !== undefined) return { type: 'arrived', at: target.searchParams.get(parameter) ?? '', hops }
    const [upstream] = route.spec.backend.upstreams
    const next = new URL(`${upstream?.scheme}://${upstream?.hostname}:${upstream?.port}${upstream?.path}`)
    next.search = target.search
    if (route.spec.type === 'PRIMARY') return { type: 'arrived', at: next.origin + next.pathname, hops }
    target = next
    carried = { issuer: issuers.lms(zone), consumer: 'gateway' }
  }
  return { type: 'refused', by: 'nobody', why: `it goes in circles: ${hops.join(', ')}` }
}

function find(routes: readonly ResourceOf<typeof Route>[], url: URL): ResourceOf<typeof Route> | undefined {
  const serves = (path: string): boolean => url.pathname === path || url.pathname.startsWith(`${path}/`)
  const here = routes.filter((r) => r.spec.hostnames?.includes(url.hostname))
  const length = (r: ResourceOf<typeof Route>): number =>
    Math.max(...(r.spec.paths ?? []).filter(serves).map((p) => p.length))
  return here.filter((r) => r.spec.paths?.some(serves)).toSorted((a, b) => length(b) - length(a))[0]
}
