import { StatusError } from '#domain/errors.ts'
import type { Key, ListOptions } from '#registry/registry.ts'
import { parseResourceVersion, refuseFuture } from '#registry/resource-version.ts'
import type { Api, Exchange } from '#apiserver/exchange.ts'
import { acceptedForm } from '#apiserver/accepted-form.ts'
import type { Accepted } from '#apiserver/negotiate.ts'
import { windowParameters } from '#apiserver/parameters.ts'
import type { Query } from '#apiserver/query.ts'
import { LIST_VIEWS, OBJECT_VIEWS, showList, showObject, type Shown } from '#apiserver/representation.ts'
import { sendBytes, sendEncoded } from '#apiserver/respond.ts'
import type { ResourceRoute } from '#apiserver/routes.ts'
import { selectorParameters } from '#apiserver/selectors.ts'
import { sendList } from '#apiserver/send-list.ts'

export const keyOf = (route: ResourceRoute): Key => ({ namespace: route.namespace ?? '', name: route.name ?? '' })

export async function get(api: Api, exchange: Exchange, route: ResourceRoute): Promise<void> {
  const accepted = acceptedForm(exchange, OBJECT_VIEWS)
  requireVersion(api, exchange.query)
  const stored = api.registry.get(route.kind, keyOf(route))
  if (accepted.as === 'Object' && accepted.encoding === 'json') return sendBytes(exchange.response, 200, stored.bytes)
  const bytes = showObject(stored, shown(api, exchange, route, accepted))
  return sendEncoded(exchange.response, { code: 200, bytes }, accepted)
}

/** A get of a version that does not exist yet is a question we cannot answer, as on a lagging replica. */
function requireVersion(api: Api, query: Query): void {
  const version = parseResourceVersion(query.get('resourceVersion'))
  if (version !== undefined) refuseFuture(version, api.registry.revision)
}

export async function list(api: Api, exchange: Exchange, route: ResourceRoute): Promise<void> {
  const accepted = acceptedForm(exchange, LIST_VIEWS)
  const listed = await api.registry.list(route.kind, listOptions(exchange.query, route))
  return sendList(exchange.response, showList(listed, shown(api, exchange, route, accepted)), accepted.encoding)
}

export function listOptions(query: Query, route: ResourceRoute): ListOptions {
  const namespace = route.kind.scope === 'Cluster' ? undefined : route.namespace
  return { namespace, ...selectorParameters(query), ...windowParameters(query) }
}

const INCLUDE = ['None', 'Metadata', 'Object'] as const

export function shown(api: Api, { query }: Exchange, { kind }: ResourceRoute, accepted: Accepted): Shown {
  const wish = query.get('includeObject') || 'Metadata'
  const includeObject = INCLUDE.find((i) => i === wish)
  if (includeObject === undefined) {
    const why = `must be 'Metadata', 'Object', 'None', or empty`
    throw new StatusError('BadRequest', `the parameter includeObject=${JSON.stringify(wish.slice(0, 100))} ${why}`)
  }
  return { kind, accepted, table: { includeObject, now: api.clock.now() } }
}
