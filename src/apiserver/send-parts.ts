import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/** Sent in pieces of this size: large enough to be cheap, small enough that others get their turn in between. */
const PIECE = 64 * 1024

/** Sends a long answer without ever holding a copy of it: as fast as the caller reads, one piece at a time. */
export async function sendParts(response: ServerResponse, parts: readonly Uint8Array[]): Promise<void> {
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  response.writeHead(200, HEADERS.concat(String(size)))
  if (size <= PIECE) {
    response.end(Buffer.concat(parts, size))
    return
  }
  let at = 0
  while (at < parts.length) {
    const from = at
    let bytes = 0
    while (at < parts.length && bytes < PIECE) bytes += parts[at++]?.length ?? 0
    if (response.destroyed) return
    if (!response.write(Buffer.concat(parts.slice(from, at), bytes))) await writable(response)
  }
  response.end()
}

const HEADERS = ['content-type', 'application/json', 'cache-control', 'no-cache, private', 'content-length']

/** A caller that has gone away will never drain: closing counts too. */
async function writable(response: ServerResponse): Promise<void> {
  if (response.destroyed) return
  const stop = new AbortController()
  const { signal } = stop
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).catch(() => undefined)
  stop.abort()
}
