import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Api, Exchange } from '#apiserver/exchange.ts'

/** What is served at one exact path that is no resource. */
export interface Document {
  readonly methods: readonly string[]
  /** Served without authentication. */
  readonly open?: boolean
  readonly serve: (exchange: Exchange, api: Api) => void | Promise<void>
}

/** Bytes that never change while the server runs, with what is needed to not send them twice. */
export interface Fixed {
  readonly bytes: Uint8Array
  readonly type: string
  /** Also the hash in the addresses of the OpenAPI documents. */
  readonly hash: string
}

export function fixed(bytes: Uint8Array, type: string): Fixed {
  return { bytes, type, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 32).toUpperCase() }
}

export const fixedJson = (value: unknown, type = 'application/json'): Fixed =>
  fixed(Buffer.from(JSON.stringify(value)), type)

export function sendFixed({ request, response, query }: Exchange, content: Fixed): void {
  const etag = `"${content.hash}"`
  const caching = query.get('hash') === content.hash ? 'public, immutable, max-age=31536000' : 'no-cache, private'
  const headers = ['etag', etag, 'vary', 'Accept', 'cache-control', caching]
  if (matches(request.headers['if-none-match'], etag)) return finish(response, 304, headers)
  const body = ['content-type', content.type, 'content-length', String(content.bytes.length)]
  finish(response, 200, [...headers, ...body], content.bytes)
}

function finish(response: ServerResponse, code: number, headers: string[], bytes?: Uint8Array): void {
  response.writeHead(code, headers)
  response.end(bytes)
}

const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined && header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*')

/** A document whose content is made when it is first asked for. */
export function fixedDocument(make: () => Fixed): Document {
  let content: Fixed | undefined
  return { methods: ['GET'], serve: (exchange) => sendFixed(exchange, (content ??= make())) }
}
