import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { StatusError } from '#domain/errors.ts'
import type { User } from '#domain/kind.ts'
import { audit } from './audit.ts'
import { authenticate, type Authenticator } from './authenticate.ts'
import { isMutating, MethodNotAllowed, perform, verbOf } from './dispatch.ts'
import { definitionRoute, definitionVerb, serveDefinitions, type Definitions } from './definitions/serve-definitions.ts'
import type { Document } from './documents/document.ts'
import type { Api, Exchange } from './exchange.ts'
import { FILE_METHODS, fileRoute, fileVerbOf, serveFile } from './files.ts'
import type { Metrics } from './metrics.ts'
import { parseQuery } from './query.ts'
import { sendFailure } from './respond.ts'
import { parseResourcePath, type ResourceRoute } from './routes.ts'
import { internalError } from './status.ts'

export interface HandlerParts {
  readonly api: Api
  readonly authenticators: readonly Authenticator[]
  /** By exact path. */
  readonly documents: ReadonlyMap<string, Document>
  readonly definitions: Definitions
  readonly metrics: Metrics
}

/** What became known about a request while it was answered, for the metrics and the audit line. */
interface Account {
  verb: string
  user: User | undefined
  route: ResourceRoute | undefined
  name: string
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** The whole API as one function from request to answer. */
export function createHandler(parts: HandlerParts): Handler {
  return (request, response) => {
    const started = performance.now()
    const account: Account = { verb: '', user: undefined, route: undefined, name: '' }
    serve(parts, request, response, account)
      .catch((error: unknown) => fail(parts.api, response, error))
      .finally(() => settle(parts, response, account, performance.now() - started))
  }
}

const NOBODY: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

async function serve(
  { api, authenticators, documents, definitions }: HandlerParts,
  request: IncomingMessage,
  response: ServerResponse,
  account: Account,
): Promise<void> {
  const url = request.url ?? '/'
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const document = documents.get(/[^/]\/$/.test(path) ? path.slice(0, -1) : path)
  const user = document?.open === true ? NOBODY : await authenticate(request.headers, authenticators)
  account.user = user
  const exchange: Exchange = {
    request,
    response,
    path,
    user,
    query: parseQuery(mark === -1 ? '' : url.slice(mark + 1)),
  }
  if (document !== undefined) return serveDocument(api, exchange, document, account)
  const file = fileRoute(path)
  if (file !== undefined) return serveFileRoute(api, exchange, file, account)
  const definition = definitionRoute(path)
  if (definition !== undefined) {
    noteRoute(account, definition, 'other')
    account.verb = definitionVerb(request.method ?? '', definition, exchange.query)
    return serveDefinitions(api, exchange, definition, definitions)
  }
  const route = parseResourcePath(path, api.registry.kinds)
  const verb = verbOf(request.method ?? '', route, path, exchange.query)
  noteRoute(account, route, verb)
  const name = await perform(api, exchange, route, verb)
  if (name) account.name = name
}

function noteRoute(account: Account, route: ResourceRoute, verb: string): void {
  account.route = route
  account.verb = verb
  account.name = route.name ?? ''
}

async function serveFileRoute(api: Api, exchange: Exchange, route: ResourceRoute, account: Account): Promise<void> {
  const method = exchange.request.method ?? ''
  const verb = fileVerbOf(method)
  noteRoute(account, route, verb ?? 'other')
  if (verb === undefined) throw new MethodNotAllowed(`${method} is not supported on files`, FILE_METHODS)
  await serveFile(api, exchange, route, verb)
}

async function serveDocument(api: Api, exchange: Exchange, document: Document, account: Account): Promise<void> {
  const method = exchange.request.method ?? ''
  account.verb = method.toLowerCase()
  const asked = method === 'HEAD' ? 'GET' : method
  if (!document.methods.includes(asked)) {
    account.verb = 'other'
    throw new MethodNotAllowed(`${method} is not supported at ${exchange.path}`, document.methods)
  }
  await document.serve(exchange, api)
}

function fail(api: Api, response: ServerResponse, error: unknown): void {
  if (error instanceof StatusError) {
    return sendFailure(
      response,
      error,
      error instanceof MethodNotAllowed ? ['allow', error.allow.join(', ')] : undefined,
    )
  }
  const id = randomUUID()
  api.log.error('request failed', { id, error, method: response.req.method })
  sendFailure(response, internalError(id))
}

function settle({ api, metrics }: HandlerParts, response: ServerResponse, account: Account, ms: number): void {
  const { verb, route, user, name } = account
  const code = response.statusCode
  metrics.record({ verb: verb || 'other', kind: route?.kind.plural ?? '', code, seconds: ms / 1000 })
  if (route !== undefined && user !== undefined && isMutating(verb))
    audit(api.log, { user, verb, route, name, code, ms })
}
