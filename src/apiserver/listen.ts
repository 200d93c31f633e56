import type { Server as HttpServer, ServerOptions, ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Handler } from './handler.ts'

export interface Address {
  readonly host: string
  /** 0 picks a free one. */
  readonly port: number
}

export interface ListenOptions extends Address {
  readonly handler: Handler
  /** Without it, plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined
}

export interface Listener {
  readonly port: number
  /** Lets what is under way finish, for at most `graceMs`. */
  close(graceMs: number): Promise<void>
}

const HTTP_OPTIONS: ServerOptions = {
  maxHeaderSize: 32 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 180_000,
  connectionsCheckingInterval: 5_000,
  noDelay: true,
  // Node's own refusal has no Status; ours is below.
  requireHostHeader: false,
}

/** An import would read every export, and one of them loads a browser's worth of fetch and streams: 12 MiB. */
const http = process.getBuiltinModule('node:http')

/** @throws the error of the operating system when the address cannot be had */
export async function listen({ host, port, handler, tls }: ListenOptions): Promise<Listener> {
  const server = createServer(handler, tls)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, backlog: 1024 }, resolve)
  })
  return { port: (server.address() as AddressInfo).port, close: (graceMs) => close(server, graceMs) }
}

/** Answers over a connection that somebody else has made. */
export function accept(connection: Duplex, handler: Handler): void {
  createServer(handler, undefined).emit('connection', connection)
}

function createServer(handler: Handler, tls: ListenOptions['tls']): HttpServer {
  const server =
    tls === undefined
      ? http.createServer(HTTP_OPTIONS)
      : createHttps({ ...HTTP_OPTIONS, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: 15_000 })
  server.on('request', (request, response) => {
    // We upgrade to nothing, and Node's parser no longer bounds the heads that follow such a request.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false
    if (request.headers.host !== undefined || request.httpVersion !== '1.1') handler(request, response)
    else refuseRequest(response, [400, 'BadRequest', 'the request has no Host header'])
  })
  server.on('checkExpectation', (_request, response) =>
    refuseRequest(response, [417, 'BadRequest', 'the only expectation this server can meet is 100-continue']),
  )
  server.on('connect', (_request, socket) => answer(socket, [405, 'MethodNotAllowed', 'this server is no proxy']))
  server.on('clientError', refuseBadRequest)
  // Without a handshake nobody can be answered; nobody else closes such a connection, not even after its time.
  server.prependListener('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())
  return server
}

async function close(server: HttpServer, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const force = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(force)
}

interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: unknown
}

/** What the HTTP parser refuses never becomes a request; it is still answered with a Status. */
function refuseBadRequest(error: ParserError, socket: Socket & { _httpMessage?: ServerResponse | null }): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const refusal = PARSER_ANSWERS[error.code ?? ''] ?? [400, 'BadRequest', 'the request is not valid HTTP']
  const response = socket._httpMessage
  if (response == null) return answer(socket, refusal)
  // An answer that is under way would be torn apart by another one, and the trouble may be with the request after it.
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && !response.headersSent && !response.req.complete
  if (!late) return void socket.destroy()
  response.once('finish', () => socket.destroySoon())
  refuseRequest(response, refusal)
}

type Refusal = readonly [code: number, reason: string, message: string]

const bodyOf = ([code, reason, message]: Refusal): string =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code })

function answer(socket: Duplex, refusal: Refusal): void {
  const body = bodyOf(refusal)
  const head = `HTTP/1.1 ${refusal[0]} ${refusal[1]}\r\nContent-Type: application/json\r\nConnection: close\r\n`
  socket.on('error', () => undefined)
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

function refuseRequest(response: ServerResponse, refusal: Refusal): void {
  const body = bodyOf(refusal)
  const length = String(Buffer.byteLength(body))
  response.writeHead(refusal[0], ['content-type', 'application/json', 'content-length', length, 'connection', 'close'])
  response.end(body)
}

const PARSER_ANSWERS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: [431, 'BadRequest', 'the request headers are larger than 32 KiB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'RequestEntityTooLarge', 'the chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Timeout', 'the request was not received completely in time'],
}
