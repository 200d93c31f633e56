import { forbidden, notFound } from '#domain/errors.ts'
import { formatTime } from '#domain/time.ts'
import type { Clock } from '#lib/clock.ts'
import type { KindTable, Stored } from '#registry/registry.ts'
import { compileFilter } from '#registry/filter.ts'
import { acceptedForm } from '#apiserver/accepted-form.ts'
import { MethodNotAllowed } from '#apiserver/dispatch.ts'
import type { Api, Exchange } from '#apiserver/exchange.ts'
import { booleanParameter } from '#apiserver/parameters.ts'
import type { Query } from '#apiserver/query.ts'
import { LIST_VIEWS, OBJECT_VIEWS, showList, showObject } from '#apiserver/representation.ts'
import { sendEncoded } from '#apiserver/respond.ts'
import { splitPath, unknownPath, type ResourceRoute } from '#apiserver/routes.ts'
import { selectorParameters } from '#apiserver/selectors.ts'
import { sendList } from '#apiserver/send-list.ts'
import { shown } from '#apiserver/verbs/read.ts'
import { CustomResourceDefinition as Definition, definitionsOf } from './custom-resource-definition.ts'

/** By name, in order; made when somebody first asks. */
export type Definitions = () => ReadonlyMap<string, Stored>

export function createDefinitions(kinds: KindTable, clock: Clock): Definitions {
  const since = formatTime(clock.now())
  let made: ReadonlyMap<string, Stored> | undefined
  return () => (made ??= definitionsOf(kinds.all, since))
}

const PATH = `/apis/${Definition.group}/${Definition.version}/${Definition.plural}`

/** What a path below the CustomResourceDefinitions is about; undefined for every other path. */
export function definitionRoute(path: string): ResourceRoute | undefined {
  if (!path.startsWith(PATH)) return undefined
  const [, , , plural, name, ...more] = splitPath(path)
  if (plural !== Definition.plural) return undefined
  if (more.length > 0) throw unknownPath(path)
  return { kind: Definition, namespace: '', name, subresource: undefined, watch: false }
}

/** Reading is all there is. @throws MethodNotAllowed */
export function definitionVerb(method: string, route: ResourceRoute, query: Query): 'get' | 'list' {
  if (method !== 'GET' && method !== 'HEAD') throw readOnly('the kinds come with this server, nobody can change them')
  if (route.name !== undefined) return 'get'
  if (method === 'GET' && booleanParameter(query, 'watch') === true)
    throw readOnly('there is nothing to watch, they change only with the server: list them instead')
  return 'list'
}

const readOnly = (why: string): MethodNotAllowed =>
  new MethodNotAllowed(`CustomResourceDefinitions can only be read here: ${why}`, ['GET', 'HEAD'], {
    group: Definition.group,
    kind: Definition.plural,
  })

export async function serveDefinitions(
  api: Api,
  exchange: Exchange,
  route: ResourceRoute,
  definitions: Definitions,
): Promise<void> {
  const { group, plural: resource } = Definition
  const { name } = route
  const wish = {
    verb: name === undefined ? 'list' : 'get',
    group,
    resource,
    subresource: undefined,
    namespace: '',
    name,
  }
  const refusal = api.access(exchange.user, wish)
  if (refusal !== undefined) throw forbidden(Definition, name ?? '', refusal)
  api.limits.enter('reads')
  try {
    if (name === undefined) await list(api, exchange, route, definitions())
    else await get(api, exchange, route, definitions().get(name))
  } finally {
    api.limits.leave('reads')
  }
}

async function get(api: Api, exchange: Exchange, route: ResourceRoute, found: Stored | undefined): Promise<void> {
  const accepted = acceptedForm(exchange, OBJECT_VIEWS)
  if (found === undefined) throw notFound(Definition, route.name ?? '')
  const bytes = showObject(found, shown(api, exchange, route, accepted))
  await sendEncoded(exchange.response, { code: 200, bytes }, accepted)
}

/** All at once, whatever the limit: they are few. */
async function list(
  api: Api,
  exchange: Exchange,
  route: ResourceRoute,
  all: ReadonlyMap<string, Stored>,
): Promise<void> {
  const accepted = acceptedForm(exchange, LIST_VIEWS)
  const filter = compileFilter(Definition, selectorParameters(exchange.query))
  const items = [...all.values()].filter((stored) => filter.matches(stored))
  const listed = showList({ items, revision: api.registry.revision }, shown(api, exchange, route, accepted))
  await sendList(exchange.response, listed, accepted.encoding)
}
