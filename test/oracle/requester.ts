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

/** Why no answer can be had from the target; undefined when there is one. */
export function findObstacle({ url, ca, insecure }: Target): Promise<string | undefined> {
  const options = { ca, rejectUnauthorized: insecure !== true, agent: false, timeout: PATIENCE_MS }
  return new Promise((resolve) => {
    const asking = url.startsWith('https:') ? tlsRequest(url, options) : plainRequest(url, { agent: false })
    asking.on('response', (response) => {
      response.resume()
      resolve(undefined)
    })
    asking.on('timeout', () => asking.destroy(new Error('it takes too long')))
    asking.on('error', (error: NodeJS.ErrnoException) => resolve(obstacle(url, error)))
    asking.end()
  })
}

/** OpenSSL's words for a chain that ends at a stranger; a name that does not fit is another matter. */
const STRANGER = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF).*)$/

const obstacle = (url: string, { code = '', message }: NodeJS.ErrnoException): string =>
  STRANGER.test(code)
    ? `the certificate of ${url} is not trusted: name its authority with --ca FILE (DATA/ca.crt), or use --insecure`
    : `${url} does not answer: ${message || code}`

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
