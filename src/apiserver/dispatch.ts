import { badRequest, forbidden, StatusError } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import type { Api, Exchange } from './exchange.ts'
import type { Lane } from './limits.ts'
import { booleanParameter } from './parameters.ts'
import type { Query } from './query.ts'
import { unknownPath, type ResourceRoute } from './routes.ts'
import { subresourceOf } from './subresources.ts'
import { get, list } from './verbs/read.ts'
import { remove, removeCollection } from './verbs/remove.ts'
import { watch } from './verbs/watch.ts'
import { create, patch, update } from './verbs/write.ts'

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

interface Action {
  readonly lane: Lane
  /** Writes answer with the name of what they wrote. */
  readonly run: (api: Api, exchange: Exchange, route: ResourceRoute) => Promise<string | void>
}

const ACTIONS: Readonly<Record<Verb, Action>> = {
  get: { lane: 'reads', run: get },
  list: { lane: 'reads', run: list },
  watch: { lane: 'watches', run: watch },
  create: { lane: 'writes', run: create },
  update: { lane: 'writes', run: update },
  patch: { lane: 'writes', run: patch },
  delete: { lane: 'writes', run: remove },
  deletecollection: { lane: 'writes', run: removeCollection },
}

/** Carries the header that a 405 must have. */
export class MethodNotAllowed extends StatusError {
  readonly allow: readonly string[]

  constructor(message: string, allow: readonly string[], details?: StatusError['details']) {
    super('MethodNotAllowed', message, details)
    this.allow = allow
  }
}

const OBJECT_METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']
const STATUS_METHODS = ['GET', 'HEAD', 'PUT', 'PATCH']
const COLLECTION_METHODS = ['GET', 'HEAD', 'POST', 'DELETE']

export function verbOf(method: string, route: ResourceRoute, path: string, query: Query): Verb {
  if (route.subresource !== undefined && route.subresource !== 'status') return specialVerb(method, route)
  if (method === 'HEAD') return route.name === undefined ? 'list' : 'get'
  if (method === 'GET') return readingVerb(route, query)
  if (route.namespace === undefined || route.watch) throw unknownPath(path)
  if (route.name === undefined) {
    if (method === 'POST') return 'create'
    if (method === 'DELETE') return 'deletecollection'
    if (method === 'PUT' || method === 'PATCH') throw badRequest('name must be provided')
    throw notAllowed(method, route, COLLECTION_METHODS)
  }
  if (method === 'PUT') return 'update'
  if (method === 'PATCH') return 'patch'
  if (method === 'DELETE' && route.subresource === undefined) return 'delete'
  throw notAllowed(method, route, route.subresource === undefined ? OBJECT_METHODS : STATUS_METHODS)
}

function specialVerb(method: string, route: ResourceRoute): Verb {
  const special = subresourceOf(route.kind, route.subresource)
  if (special === undefined) throw noSubresource(route)
  if (method !== special.method) throw notAllowed(method, route, [special.method])
  return special.verb
}

/** As for an object that is missing, which is how Kubernetes answers; but it may well be there, so the words are others. */
function noSubresource({ kind, name = '', subresource = '' }: ResourceRoute): StatusError {
  const missing = `${qualified(kind)} has no subresource ${JSON.stringify(subresource.slice(0, 100))}`
  const message = `the server could not find the requested resource: ${missing}`
  return new StatusError('NotFound', message, { name, group: kind.group, kind: kind.plural })
}

function readingVerb(route: ResourceRoute, query: Query): Verb {
  if (route.watch) return 'watch'
  if (route.name !== undefined) return 'get'
  return booleanParameter(query, 'watch') === true ? 'watch' : 'list'
}

const VERB_NAMES: Readonly<Record<string, string>> = { POST: 'create', DELETE: 'delete' }

const qualified = ({ group, plural }: Kind): string => (group === '' ? plural : `${plural}.${group}`)

function notAllowed(method: string, { kind }: ResourceRoute, allow: readonly string[]): MethodNotAllowed {
  const message = `${VERB_NAMES[method] ?? method} is not supported on resources of kind "${qualified(kind)}"`
  return new MethodNotAllowed(message, allow, { group: kind.group, kind: kind.plural })
}

/** Runs a verb within the limits. Settles when the answer is complete, for a watch when it is over. */
export async function perform(api: Api, exchange: Exchange, route: ResourceRoute, verb: Verb): Promise<string | void> {
  authorize(api, exchange, route, verb)
  const { lane, run } = { ...ACTIONS[verb], ...subresourceOf(route.kind, route.subresource) }
  api.limits.enter(lane)
  try {
    return await run(api, exchange, route)
  } finally {
    api.limits.leave(lane)
  }
}

function authorize(api: Api, { user }: Exchange, route: ResourceRoute, verb: Verb): void {
  const { kind, namespace, name, subresource } = route
  if (subresourceOf(kind, subresource)?.decidesAccess === true) return
  const refusal = api.access(user, { verb, group: kind.group, resource: kind.plural, subresource, namespace, name })
  if (refusal !== undefined) throw forbidden(kind, name ?? '', refusal)
}

export const isMutating = (verb: string): boolean =>
  Object.hasOwn(ACTIONS, verb) && ACTIONS[verb as Verb].lane === 'writes'
