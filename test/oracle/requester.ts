import { Agent as PlainAgent, request as plainRequest, type IncomingMessage } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'

/** The server under test, and how to be its administrator. */
export interface Target {
  readonly url: string
  readonly token: string
  readonly ca?: string | undefined
  /** Accept any certificate. */
  readonly insecure?: boolean | undefined
}

export interface Outgoing {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

/** What came back; status 0 when nothing did. */
export interface Incoming {
  readonly status: number
  readonly contentType: string | null
  readonly warning: readonly string[] | null
  readonly allow: string | undefined
  readonly retryAfter: string | undefined
  readonly text: string
}

export type Requester = (outgoing: Outgoing) => Promise<Incoming>

const PATIENCE_MS = 60_000
const NOTHING: Incoming = {
  status: 0,
  contentType: null,
  warning: null,
  allow: undefined,
  retryAfter: undefined,
  text: '',
}

export function createRequester({ url, ca, insecure }: Target): Requester {
  const { protocol, hostname, port } = new URL(url)
  const secure = protocol === 'https:'
  const agent = secure ? new TlsAgent({ ca, rejectUnauthorized: insecure !== true }) : new PlainAgent()
  const request = secure ? tlsRequest : plainRequest
  return ({ method, path, headers, body }) =>
    new Promise((resolve) => {
      const sending = request({ hostname, port, method, path, headers, agent, timeout: PATIENCE_MS })
      sending.on('response', (response) => void receive(response).then(resolve, () => resolve(NOTHING)))
      sending.on('timeout', () => sending.destroy())
      sending.on('error', () => resolve(NOTHING))
      sending.end(body)
    })
}

async function receive(response: IncomingMessage): Promise<Incoming> {
  const chunks = (await response.toArray()) as Buffer[]
  const { headers, rawHeaders } = response
  const warning = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'warning')
  return {
    status: response.statusCode ?? 0,
    contentType: headers['content-type'] ?? null,
    warning: warning.length === 0 ? null : warning,
    allow: headers.allow,
    retryAfter: headers['retry-after'],
    text: Buffer.concat(chunks).toString(),
  }
}
