import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly method: string
  readonly path: string
  readonly contentType: string | undefined
  readonly authorization: string | undefined
  readonly body: string
}

/** A configuration backend with a token endpoint, on a real socket. */
export class HttpBackend {
  readonly received: Received[] = []
  readonly tokenRequests: Received[] = []
  /** Answers in this order, then 200; a number or a way to answer. */
  readonly answers: (number | ((response: ServerResponse) => void))[] = []
  readonly tokenAnswers: (number | object)[] = []
  #tokens = 0
  readonly #server: Server

  constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response))
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const received: Received = {
      method: request.method ?? '',
      path: request.url ?? '',
      contentType: request.headers['content-type'],
      authorization: request.headers.authorization,
      body: Buffer.concat(chunks).toString(),
    }
    if (received.path === '/token') return this.#token(received, response)
    this.received.push(received)
    const answer = this.answers.shift() ?? 200
    if (typeof answer === 'function') return answer(response)
    response.writeHead(answer).end(answer === 400 ? '{"message":"name\\ndiffers"}' : '')
  }

  #token(received: Received, response: ServerResponse): void {
    this.tokenRequests.push(received)
    const answer = this.tokenAnswers.shift() ?? { access_token: `token-${++this.#tokens}`, expires_in: 300 }
    if (typeof answer === 'number') response.writeHead(answer).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }
}
