import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { type HttpAnswer, type HttpCall, type SendHttp, Unreached } from './http-call.ts'

const LONGEST_ANSWER = 64 * 1024
/** Connections to one host that are kept for the next call. */
const KEPT = { keepAlive: true, maxSockets: 64, maxFreeSockets: 16 }
const CLIENTS = {
  'http:': { request: http.request, agent: new http.Agent(KEPT) },
  'https:': { request: https.request, agent: new https.Agent(KEPT) },
}

/** Redirects are answers, not instructions: credentials never follow one. */
export const sendHttp: SendHttp = async (call) => {
  const first = opened(call)
  try {
    return await first.answer
  } catch (error) {
    // A connection that was kept may be closed by the other side in the very moment it is used again.
    if (!first.wasKept || (error as NodeJS.ErrnoException).code !== 'ECONNRESET' || call.signal?.aborted === true)
      throw first.isSent || call.signal?.aborted === true ? error : new Unreached('nothing was sent', { cause: error })
    return new Exchange(call).answer
  }
}

function opened(call: HttpCall): Exchange {
  try {
    return new Exchange(call)
  } catch (error) {
    throw new Unreached('nothing can be sent there', { cause: error })
  }
}

class Exchange {
  readonly answer: Promise<HttpAnswer>
  readonly #request: ClientRequest
  #isSent = false

  constructor({ method, url, headers, body, signal, timeoutMs }: HttpCall) {
    const target = new URL(url)
    const client = CLIENTS[target.protocol as keyof typeof CLIENTS]
    if (client === undefined) throw new TypeError(`${target.protocol} is no protocol that can be called`)
    const length = Buffer.byteLength(body)
    const options = { method, agent: client.agent, headers: { ...headers, 'content-length': length } }
    this.#request = client.request(target, options)
    this.#request.once('socket', (socket) => {
      if (!socket.connecting) this.#isSent = true
      else socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', () => (this.#isSent = true))
    })
    this.answer = this.#converse(body, signal, timeoutMs)
  }

  /** There was a connection: whether the other side has read anything is unknown. */
  get isSent(): boolean {
    return this.#isSent
  }

  get wasKept(): boolean {
    return this.#request.reusedSocket
  }

  async #converse(body: string, signal: AbortSignal | undefined, timeoutMs: number): Promise<HttpAnswer> {
    const request = this.#request
    const timer = setTimeout(() => request.destroy(named('TimeoutError', 'no answer in time')), timeoutMs)
    const stop = (): void => void request.destroy(named('AbortError', 'stopped'))
    if (signal?.aborted === true) stop()
    else signal?.addEventListener('abort', stop, { once: true })
    try {
      return await new Promise<HttpAnswer>((resolve, reject) => {
        request.on('error', reject)
        request.on('response', (response) => read(response, resolve, reject))
        request.end(body)
      })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }
}

/** What is longer than anyone wants to read is left unread, and the connection with it. */
function read(response: IncomingMessage, resolve: (answer: HttpAnswer) => void, reject: (error: Error) => void): void {
  const { statusCode: status = 0, headers } = response
  const answer = (): HttpAnswer => ({ status, retryAfter: headers['retry-after'] ?? null, text })
  let text = ''
  let size = 0
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    size += Buffer.byteLength(chunk)
    if (size <= LONGEST_ANSWER) text += chunk
    else response.destroy()
  })
  response.on('end', () => resolve(answer()))
  response.on('error', reject)
  response.on('close', () => (size > LONGEST_ANSWER ? resolve(answer()) : reject(new Error('the answer broke off'))))
}

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name })
