import { once } from 'node:events'
import { Agent as PlainAgent, request as plainRequest, type IncomingMessage } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { decodeTrusted } from '#lib/json.ts'
import { ApiFailure } from './api-failure.ts'

/** A server of the Kubernetes API, and who we are there. */
export interface Endpoint {
  readonly url: string
  readonly token: string
  /** The authority that signed the server's certificate; the system's unless given. */
  readonly ca?: string | undefined
}

/** Failures of the server are ApiFailures; everything else means that it could not be reached or went away. */
export interface ApiConnection {
  get(path: string, signal: AbortSignal): Promise<unknown>
  /** The lines of a watch as they arrive. Ends when the server ends it, throws when the connection breaks. */
  lines(path: string, signal: AbortSignal): AsyncIterable<unknown>
  /** Drops the connections kept open. */
  close(): void
}

export function connectTo({ url, token, ca }: Endpoint): ApiConnection {
  const secure = url.startsWith('https:')
  const agent = secure ? new TlsAgent({ ca, keepAlive: true }) : new PlainAgent({ keepAlive: true })
  const request = secure ? tlsRequest : plainRequest
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'user-agent': 'stellwerk-informer/1' }
  const open = async (path: string, signal: AbortSignal): Promise<IncomingMessage> => {
    const sent = request(new URL(path, url), { agent, headers, signal }).end()
    // Whoever waits for the answer or reads it hears of an error there.
    sent.on('error', () => undefined)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const code = response.statusCode ?? 0
    if (code !== 200) throw new ApiFailure(code, await bodyOf(response).catch(() => undefined))
    return response
  }
  return {
    get: async (path, signal) => bodyOf(await open(path, signal)),
    async *lines(path, signal) {
      const response = await open(path, signal)
      try {
        for await (const line of linesOf(response)) yield decodeTrusted(line)
      } finally {
        response.destroy()
      }
    },
    close: () => agent.destroy(),
  }
}

async function bodyOf(response: IncomingMessage): Promise<unknown> {
  const chunks = (await response.toArray()) as Buffer[]
  return decodeTrusted(Buffer.concat(chunks))
}

/** Throws when the connection breaks before the server has ended its answer. */
async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  response.setEncoding('utf8')
  let begun: string[] = []
  for await (const chunk of response as AsyncIterable<string>) {
    const [first = '', ...others] = chunk.split('\n')
    begun.push(first)
    for (const next of others) {
      const line = begun.join('')
      begun = [next]
      if (line !== '') yield line
    }
  }
}
