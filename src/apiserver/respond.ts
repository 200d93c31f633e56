import type { ServerResponse } from 'node:http'
import type { StatusError } from '#domain/errors.ts'
import { encodeJson } from '#lib/json.ts'
import { indentJson } from './indent-json.ts'
import type { Accepted } from './negotiate.ts'
import { statusOf } from './status.ts'
import { yamlAside } from './yaml-thread.ts'

const PLAIN_HEADERS = ['content-type', 'application/json', 'cache-control', 'no-cache, private']

/** Sends encoded JSON as it is. */
export function sendBytes(
  response: ServerResponse,
  code: number,
  bytes: Uint8Array,
  headers: readonly string[] = [],
): void {
  response.writeHead(code, [...PLAIN_HEADERS, 'content-length', String(bytes.length), ...headers])
  response.end(bytes)
}

export function sendJson(
  response: ServerResponse,
  code: number,
  value: unknown,
  headers: readonly string[] = [],
): void {
  sendBytes(response, code, Buffer.from(encodeJson(value)), headers)
}

export function sendText(
  response: ServerResponse,
  code: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  const bytes = Buffer.from(text)
  response.writeHead(code, ['content-type', type, 'content-length', String(bytes.length)])
  response.end(bytes)
}

/** JSON that was encoded elsewhere, in the encoding the caller asked for. */
export async function sendEncoded(
  response: ServerResponse,
  answer: { readonly code: number; readonly bytes: Uint8Array; readonly headers?: readonly string[] | undefined },
  accepted: Accepted,
): Promise<void> {
  if (accepted.encoding === 'json') return sendBytes(response, answer.code, answer.bytes, answer.headers)
  if (accepted.encoding === 'pretty') return sendBytes(response, answer.code, indentJson(answer.bytes), answer.headers)
  const bytes = await yamlAside('write', answer.bytes)
  const headers = [
    'content-type',
    'application/yaml',
    'content-length',
    String(bytes.length),
    ...(answer.headers ?? []),
  ]
  response.writeHead(answer.code, headers)
  response.end(bytes)
}

/** The most warnings and the longest one that are sent: headers have a limit on the other side too. */
const MOST_WARNINGS = 50
const LONGEST_WARNING = 1000

export function warningHeaders(warnings: readonly string[]): string[] {
  return warnings.slice(0, MOST_WARNINGS).flatMap((warning) => ['warning', `299 - ${quotedString(warning)}`])
}

/** RFC 9110 quoted-string of printable ASCII; the rest as JavaScript escapes, so that no header can be split. */
function quotedString(text: string): string {
  const ascii = text
    .slice(0, LONGEST_WARNING)
    .replaceAll(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `"${ascii.replaceAll(/["\\]/g, '\\$&')}"`
}

/** A failure, unless the answer has begun: then all that is left is to cut it off, so that nobody takes it as complete. */
export function sendFailure(response: ServerResponse, error: StatusError, headers: readonly string[] = []): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const retry = error.details?.retryAfterSeconds
  const extra = [...headers, ...(retry === undefined ? [] : ['retry-after', String(retry)])]
  if (error.code === 401) extra.push('www-authenticate', 'Bearer')
  if (response.req.complete) return sendJson(response, error.code, statusOf(error), extra)
  refuseUnread(response, error, [...extra, 'connection', 'close'])
}

const LINGER_MS = 500
const LINGER_BYTES = 1024 * 1024

/**
 * Answers before the body is here. Closing at once would let the caller's system throw the answer away with the reset
 * connection, so the rest is read and forgotten for a moment, but not for long.
 */
function refuseUnread(response: ServerResponse, error: StatusError, headers: readonly string[]): void {
  const { req: request } = response
  const bytes = Buffer.from(encodeJson(statusOf(error)))
  response.writeHead(error.code, [...PLAIN_HEADERS, 'content-length', String(bytes.length), ...headers])
  response.write(bytes)
  let rest = LINGER_BYTES
  const close = (): void => {
    clearTimeout(timer)
    request.off('data', count)
    response.end()
  }
  const count = (chunk: Buffer): void => {
    rest -= chunk.length
    if (rest < 0) close()
  }
  const timer = setTimeout(close, LINGER_MS)
  request.on('data', count).once('end', close).once('close', close).resume()
}
