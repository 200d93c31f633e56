import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { ChunkDecoder } from './chunk-decoder.ts'

/** Where to send requests, and as whom. */
export interface Target {
  readonly url: string
  readonly token?: string | undefined
  readonly ca?: string | undefined
}

export interface Answer {
  readonly status: number
  readonly body: Buffer
}

interface Pending {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
  readonly onData: ((chunk: Buffer) => void) | undefined
}

/**
 * One keep-alive connection with one request at a time. Written by hand because a general client would cost more CPU
 * on the two shared cores than the server under test.
 */
export class Connection {
  readonly #target: Target
  readonly #prefix: string
  #socket: Socket | undefined
  #pending: Pending | undefined
  #parts: Buffer[] = []
  #received = 0
  #needed = 0
  #stream: ChunkDecoder | undefined

  constructor(target: Target) {
    this.#target = target
    const auth = target.token === undefined ? '' : `Authorization: Bearer ${target.token}\r\n`
    this.#prefix = `Host: ${new URL(target.url).host}\r\n${auth}Accept: application/json\r\n`
  }

  open(): Promise<void> {
    const url = new URL(this.#target.url)
    const options = { host: url.hostname, port: Number(url.port) }
    return new Promise((resolve, reject) => {
      const socket =
        url.protocol === 'https:'
          ? connectTls({ ...options, ca: this.#target.ca, rejectUnauthorized: this.#target.ca !== undefined }, resolve)
          : connectPlain(options, resolve)
      socket.setNoDelay(true)
      socket.on('data', (chunk: Buffer) => this.#data(chunk))
      socket.on('error', (error: Error) => {
        reject(error)
        this.#pending?.reject(error)
      })
      socket.on('close', () => this.#pending?.reject(new Error('connection closed inside a response')))
      this.#socket = socket
    })
  }

  request(method: string, path: string, body?: string, type = 'application/json'): Promise<Answer> {
    const head = body === undefined ? '' : `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
    return this.#send(`${method} ${path} HTTP/1.1\r\n${this.#prefix}${head}\r\n${body ?? ''}`, undefined)
  }

  /** Sends a watch (as a POST when it has a body) and hands the bytes of the answer to `onData` until `close`. */
  stream(path: string, onData: (chunk: Buffer) => void, body?: string): Promise<Answer> {
    if (body === undefined) return this.#send(`GET ${path} HTTP/1.1\r\n${this.#prefix}\r\n`, onData)
    const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`
    return this.#send(`POST ${path} HTTP/1.1\r\n${this.#prefix}${length}\r\n${body}`, onData)
  }

  close(): void {
    this.#pending = undefined
    this.#socket?.destroy()
  }

  #send(text: string, onData: Pending['onData']): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject, onData }
      this.#socket?.write(text)
    })
  }

  #data(chunk: Buffer): void {
    if (this.#stream !== undefined) return this.#streamed(this.#stream, chunk)
    this.#parts.push(chunk)
    this.#received += chunk.length
    if (this.#received < this.#needed) return
    const bytes = Buffer.concat(this.#parts)
    this.#parts = [bytes]
    this.#answer(bytes)
  }

  /** Called only when enough has arrived to be worth a look, so that a long list is not joined packet by packet. */
  #answer(bytes: Buffer): void {
    const head = bytes.indexOf('\r\n\r\n')
    const pending = this.#pending
    if (head < 0 || pending === undefined) return
    const text = bytes.toString('latin1', 0, head)
    const status = Number(text.slice(9, 12))
    const rest = bytes.subarray(head + 4)
    if (pending.onData !== undefined && status === 200) {
      this.#stream = new ChunkDecoder()
      pending.resolve({ status, body: Buffer.alloc(0) })
      return this.#streamed(this.#stream, rest)
    }
    const body = completeBody(rest, text)
    if (typeof body === 'number') {
      this.#needed = head + 4 + body
      return
    }
    this.#parts = []
    this.#received = 0
    this.#needed = 0
    this.#pending = undefined
    pending.resolve({ status, body })
  }

  #streamed(decoder: ChunkDecoder, packet: Buffer): void {
    for (const part of decoder.decode(packet)) this.#pending?.onData?.(part)
  }
}

/** The body when all of it has arrived, by Content-Length or by chunks; otherwise how long it has to be at least. */
function completeBody(bytes: Buffer, head: string): Buffer | number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return bytes.length >= Number(length) ? bytes : Number(length)
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return bytes
  const ended = bytes.length >= 5 && bytes.toString('latin1', bytes.length - 5) === '0\r\n\r\n'
  return ended ? Buffer.concat(new ChunkDecoder().decode(bytes)) : bytes.length + 1
}
