import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { indented } from './indent-json.ts'
import { acceptsGzip } from './negotiate.ts'

/** Sent in pieces of this size: large enough to be cheap, small enough that others get their turn in between. */
const PIECE = 64 * 1024
/** As in Kubernetes: less than this is not worth the time, more is compressed as fast as possible. */
const WORTH_COMPRESSING = 128 * 1024

/** Sends a long answer without ever holding a copy of it: as fast as the caller reads, one piece at a time. */
export async function sendParts(response: ServerResponse, parts: readonly Uint8Array[], pretty = false): Promise<void> {
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  const content = pretty ? indented(pieces(parts)) : pieces(parts)
  if (size > WORTH_COMPRESSING && wantsGzip(response.req)) return sendCompressed(response, content)
  response.writeHead(200, pretty ? HEADERS : [...HEADERS, 'content-length', String(size)])
  if (size <= PIECE) {
    response.end(Buffer.concat([...content]))
    return
  }
  for (const piece of content) {
    if (response.destroyed) return
    if (!response.write(piece)) await writable(response)
  }
  response.end()
}

const wantsGzip = ({ method, headers }: IncomingMessage): boolean =>
  method !== 'HEAD' && acceptsGzip(headers['accept-encoding'])

/** zlib works on other threads. A caller that goes away ends it, and there is nobody to tell. */
async function sendCompressed(response: ServerResponse, content: Iterable<Uint8Array>): Promise<void> {
  response.writeHead(200, [...HEADERS, 'content-encoding', 'gzip', 'vary', 'Accept-Encoding'])
  await pipeline(content, createGzip({ level: 1 }), response).catch(() => response.destroy())
}

function* pieces(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  let at = 0
  while (at < parts.length) {
    const from = at
    let bytes = 0
    while (at < parts.length && bytes < PIECE) bytes += parts[at++]?.length ?? 0
    yield Buffer.concat(parts.slice(from, at), bytes)
  }
}

const HEADERS = ['content-type', 'application/json', 'cache-control', 'no-cache, private']

/** A caller that has gone away will never drain: closing counts too. */
async function writable(response: ServerResponse): Promise<void> {
  if (response.destroyed) return
  const stop = new AbortController()
  const { signal } = stop
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).catch(() => undefined)
  stop.abort()
}
