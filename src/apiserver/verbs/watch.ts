import { isStatus, StatusError } from '#domain/errors.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import type { Clock } from '#lib/clock.ts'
import { encodeJson } from '#lib/json.ts'
import type { WatchEvent, WatchOptions } from '#registry/registry.ts'
import type { Api, Exchange } from '#apiserver/exchange.ts'
import { negotiate, type Accepted } from '#apiserver/negotiate.ts'
import { booleanParameter, integerParameter, invalidOption } from '#apiserver/parameters.ts'
import type { Query } from '#apiserver/query.ts'
import { showObject, WATCH_VIEWS, type Shown } from '#apiserver/representation.ts'
import type { ResourceRoute } from '#apiserver/routes.ts'
import { statusOf } from '#apiserver/status.ts'
import { WatchStream } from '#apiserver/watch-stream.ts'
import { listOptions, shown } from './read.ts'

const BOOKMARK_EVERY_MS = 60_000
const SHORTEST_MS = 30 * 60_000
const LONGEST_SECONDS = 24 * 60 * 60

/** Answers when the watch is over. */
export async function watch(api: Api, exchange: Exchange, route: ResourceRoute): Promise<void> {
  const accepted = negotiate(exchange.request.headers.accept, WATCH_VIEWS)
  const options = watchOptions(exchange.query, route)
  const bookmarks = booleanParameter(exchange.query, 'allowWatchBookmarks') === true
  const forMs = duration(exchange.query)
  const shape = shown(api, exchange, route, accepted)
  const stream = new WatchStream({
    response: exchange.response,
    clock: api.clock,
    encode: encoder(shape, api.clock),
    bookmark: (revision, initial) => bookmarkLine(route.kind, shape, revision, initial),
    failure: (message) => errorLine(new StatusError('Expired', message)),
  })
  await run({ api, route, stream, options, bookmarks, forMs })
}

interface Run {
  readonly api: Api
  readonly route: ResourceRoute
  readonly stream: WatchStream
  readonly options: WatchOptions
  readonly bookmarks: boolean
  readonly forMs: number
}

async function run({ api, route, stream, options, bookmarks, forMs }: Run): Promise<void> {
  const { registry, clock } = api
  const over = Promise.withResolvers<void>()
  stream.onEnd = over.resolve
  const finish = (): void => {
    if (bookmarks) stream.bookmark(registry.revision)
    stream.end()
  }
  const cancelEnd = clock.setTimer(clock.now() + forMs, finish)
  const stop = (): void => stream.end()
  api.stopping.addEventListener('abort', stop)
  let cancelBookmark = (): void => undefined
  try {
    const subscription = await open({ api, route, stream, options, bookmarks })
    if (subscription === undefined) return
    stream.start()
    if (bookmarks) cancelBookmark = everyMinute(api, () => stream.bookmark(registry.revision))
    await over.promise
    subscription.close()
  } finally {
    cancelEnd()
    cancelBookmark()
    api.stopping.removeEventListener('abort', stop)
  }
}

/** A version that is no longer retained becomes an event of the stream, as in Kubernetes; other refusals are answers. */
async function open({ api, route, stream, options, bookmarks }: Omit<Run, 'forMs'>) {
  try {
    return await api.registry.watch(route.kind, options, {
      event: (event) => stream.event(event),
      expired: (message) => stream.expired(message),
      caughtUp: (revision) => {
        stream.caughtUp()
        if (options.sendInitialEvents === true && bookmarks) stream.bookmark(revision, true)
      },
    })
  } catch (error) {
    if (!isStatus(error, 'Expired')) throw error
    stream.end(errorLine(error))
    return undefined
  }
}

function everyMinute(api: Api, act: () => void): () => void {
  const { clock } = api
  let cancel = (): void => undefined
  const arm = (): void => {
    cancel = clock.setTimer(clock.now() + BOOKMARK_EVERY_MS, () => {
      act()
      arm()
    })
  }
  arm()
  return () => cancel()
}

function watchOptions(query: Query, route: ResourceRoute): WatchOptions {
  const { limit: _limit, continue: _continue, ...options } = listOptions(query, route)
  const sendInitialEvents = booleanParameter(query, 'sendInitialEvents')
  if (options.resourceVersionMatch !== undefined && sendInitialEvents === undefined) {
    const why = 'Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'
    throw invalidOption('ListOptions', 'resourceVersionMatch', 'FieldValueForbidden', why)
  }
  if (sendInitialEvents !== undefined && options.resourceVersionMatch !== 'NotOlderThan') {
    const why = 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'
    throw invalidOption('ListOptions', 'resourceVersionMatch', 'FieldValueForbidden', why)
  }
  return { ...options, sendInitialEvents, ...only(route) }
}

/** `/watch/…/name` watches one object. */
function only(route: ResourceRoute): Pick<WatchOptions, 'fields'> | undefined {
  if (route.name === undefined) return undefined
  return { fields: [{ key: 'metadata.name', operator: '=', values: [route.name] }] }
}

/** Unless told, half an hour to an hour: spread, so that watchers do not all come back at the same moment. */
function duration(query: Query): number {
  const seconds = integerParameter(query, 'timeoutSeconds')
  if (seconds === undefined || seconds <= 0) return SHORTEST_MS * (1 + Math.random())
  return Math.min(seconds, LONGEST_SECONDS) * 1000
}

function encoder(shape: Shown, clock: Clock): ((event: WatchEvent) => Uint8Array) | undefined {
  if (shape.accepted.as === 'Object') return undefined
  const accepted: Accepted =
    shape.accepted.as === 'Table' ? shape.accepted : { ...shape.accepted, as: 'PartialObjectMetadata' }
  let columns = true
  return (event) => {
    const object = showObject(event.stored, {
      ...shape,
      accepted,
      table: { ...shape.table, columns, now: clock.now() },
    })
    columns = false
    return Buffer.concat([Buffer.from(`{"type":"${event.type}","object":`), object, Buffer.from('}\n')])
  }
}

function bookmarkLine(kind: Kind, shape: Shown, revision: number, initial: boolean): Uint8Array {
  const annotations = initial ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}
  const metadata = { resourceVersion: String(revision), ...annotations }
  const { as, version } = shape.accepted
  const meta = { apiVersion: `meta.k8s.io/${version}` }
  const object =
    as === 'Object'
      ? { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata }
      : as === 'Table'
        ? { kind: 'Table', ...meta, metadata, columnDefinitions: null, rows: [] }
        : { kind: 'PartialObjectMetadata', ...meta, metadata }
  return line({ type: 'BOOKMARK', object })
}

const errorLine = (error: StatusError): Uint8Array => line({ type: 'ERROR', object: statusOf(error) })
const line = (value: object): Uint8Array => Buffer.from(`${encodeJson(value)}\n`)
