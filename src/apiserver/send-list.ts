import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { indented } from './indent-json.ts'
import { acceptsGzip, type Accepted } from './negotiate.ts'
import type { ShownList } from './representation.ts'
import { yamlAside } from './yaml-thread.ts'

/** Sent in pieces of this size: large enough to be cheap, small enough that others get their turn in between. */
const PIECE = 64 * 1024
/** As in Kubernetes: less than this is not worth the time, more is compressed as fast as possible. */
const WORTH_COMPRESSING = 128 * 1024

/** Sends a long answer without ever holding a copy of it: as fast as the caller reads, one piece at a time. */
export async function sendList(
  response: ServerResponse,
  list: ShownList,
  encoding: Accepted['encoding'],
): Promise<void> {
  const headers = ['content-type', `application/${encoding === 'yaml' ? 'yaml' : 'json'}`, ...CACHE]
  const content = encoding === 'yaml' ? yamlOf(list) : jsonOf(list, encoding === 'pretty')
  const { first, size, complete } = await beginning(content)
  if (complete) {
    response.writeHead(200, [...headers, 'content-length', String(size)])
    response.end(Buffer.concat(first, size))
    return
  }
  const all = joined(first, content)
  if (wantsGzip(response.req)) return sendCompressed(response, headers, all)
  response.writeHead(200, [...headers, ...knownLength(list, encoding)])
  if (response.req.method === 'HEAD') {
    response.end()
    return
  }
  for await (const piece of all) {
    if (response.destroyed) return
    if (!response.write(piece)) await writable(response)
    // To a caller who reads as fast as we write, everything is written in one turn otherwise.
    await nextTurn()
  }
  response.end()
}

const wantsGzip = ({ method, headers }: IncomingMessage): boolean =>
  method !== 'HEAD' && acceptsGzip(headers['accept-encoding'])

const CACHE = ['cache-control', 'no-cache, private']

interface Beginning {
  readonly first: readonly Uint8Array[]
  readonly size: number
  readonly complete: boolean
}

/** As much as has to be known before the head is sent: all of a short list, or that it is a long one. */
async function beginning(content: AsyncIterator<Uint8Array>): Promise<Beginning> {
  const first: Uint8Array[] = []
  let size = 0
  while (size <= WORTH_COMPRESSING) {
    const next = await content.next()
    if (next.done === true) return { first, size, complete: true }
    first.push(next.value)
    size += next.value.length
  }
  return { first, size, complete: false }
}

async function* joined(first: readonly Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* first
  yield* rest
}

/** zlib works on other threads. A caller that goes away ends it, and there is nobody to tell. */
async function sendCompressed(
  response: ServerResponse,
  headers: readonly string[],
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  response.writeHead(200, [...headers, 'content-encoding', 'gzip', 'vary', 'Accept-Encoding'])
  await pipeline(content, createGzip({ level: 1 }), response).catch(() => response.destroy())
}

const OPEN = ':['
const CLOSE = ']}'

/** Only what is not made on the way has a length that is known before. */
function knownLength(list: ShownList, encoding: Accepted['encoding']): string[] {
  if (list.known === undefined || encoding !== 'json') return []
  const { bytes, count } = list.known
  const frame = Buffer.byteLength(list.head) + `,"${list.key}"`.length + OPEN.length + CLOSE.length
  return ['content-length', String(frame + bytes + Math.max(0, count - 1))]
}

async function* jsonOf(list: ShownList, pretty: boolean): AsyncGenerator<Uint8Array> {
  const content = inPieces(jsonParts(list))
  yield* pretty ? indented(content) : content
}

const COMMA = Buffer.from(',')

function* jsonParts({ head, key, entries }: ShownList): Generator<Uint8Array> {
  yield Buffer.from(`${head},"${key}"${OPEN}`)
  let isFirst = true
  for (const entry of entries) {
    if (!isFirst) yield COMMA
    isFirst = false
    yield entry
  }
  yield Buffer.from(CLOSE)
}

function* inPieces(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const group of groups(parts)) yield Buffer.concat(group)
}

function* groups(parts: Iterable<Uint8Array>): Generator<Uint8Array[]> {
  let group: Uint8Array[] = []
  let bytes = 0
  for (const part of parts) {
    group.push(part)
    bytes += part.length
    if (bytes < PIECE) continue
    yield group
    group = []
    bytes = 0
  }
  if (group.length > 0) yield group
}

/** YAML takes half a millisecond per object: others who want some get their turn after each piece. */
async function* yamlOf({ head, key, entries }: ShownList): AsyncGenerator<Uint8Array> {
  const before = await yamlAside('write', Buffer.from(`${head}}`))
  let isEmpty = true
  for (const group of groups(entries)) {
    const text = await yamlAside('write', Buffer.from(`[${group.map((entry) => Buffer.from(entry)).join(',')}]`))
    yield isEmpty ? Buffer.concat([before, Buffer.from(`${key}:\n`), text]) : text
    isEmpty = false
  }
  if (isEmpty) yield Buffer.concat([before, Buffer.from(`${key}: []\n`)])
}

/** A caller that has gone away will never drain: closing counts too. */
async function writable(response: ServerResponse): Promise<void> {
  if (response.destroyed) return
  const stop = new AbortController()
  const { signal } = stop
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).catch(() => undefined)
  stop.abort()
}
