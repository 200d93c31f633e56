import { readFileSync } from 'node:fs'
import { request as overHttp, type IncomingMessage } from 'node:http'
import { request as overHttps, type RequestOptions } from 'node:https'
import { parse } from 'yaml'

/** Said to people as it is. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Where the server is and who is asking. */
export interface Connection {
  readonly server: string
  readonly ca: string | undefined
  readonly token: string
}

interface Kubeconfig {
  readonly 'current-context'?: string
  readonly contexts?: readonly {
    readonly name: string
    readonly context: { readonly cluster: string; readonly user: string }
  }[]
  readonly clusters?: readonly { readonly name: string; readonly cluster: Readonly<Record<string, string>> }[]
  readonly users?: readonly { readonly name: string; readonly user: Readonly<Record<string, string>> }[]
}

/** The current context of a kubeconfig, as `serve` writes it. @throws CommandError */
export function readConnection(path: string): Connection {
  const config = parse(readText(path)) as Kubeconfig | null
  const context = config?.contexts?.find(({ name }) => name === config['current-context'])?.context
  const cluster = config?.clusters?.find(({ name }) => name === context?.cluster)?.cluster
  const user = config?.users?.find(({ name }) => name === context?.user)?.user
  const server = cluster?.['server']
  const token = user?.['token']
  if (server === undefined || token === undefined)
    throw new CommandError(`${path} has no current context with a server and a token`)
  const ca = cluster?.['certificate-authority-data']
  return { server, token, ca: ca === undefined ? undefined : Buffer.from(ca, 'base64').toString() }
}

/** @throws CommandError */
export function readText(path: string): string {
  return readBytes(path).toString()
}

/** @throws CommandError */
export function readBytes(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(`${path} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : String(code)}`)
  }
}

export interface Answer {
  readonly code: number
  readonly body: unknown
  readonly warnings: readonly string[]
}

/** @throws CommandError when nobody answers */
export async function send(connection: Connection, method: string, path: string, bytes: Uint8Array): Promise<Answer> {
  const url = new URL(path, connection.server)
  const headers = {
    authorization: `Bearer ${connection.token}`,
    'content-length': bytes.length,
    'user-agent': 'stellwerk',
  }
  const options: RequestOptions = { method, headers, ca: connection.ca }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = (url.protocol === 'http:' ? overHttp : overHttps)(url, options, resolve)
    request.once('error', (error) => reject(new CommandError(`${url.origin} does not answer: ${error.message}`)))
    request.end(bytes)
  })
  const text = Buffer.concat((await response.toArray()) as Buffer[]).toString()
  const warnings = (response.headersDistinct['warning'] ?? []).map((w) => w.replace(/^299 - "|"$/g, ''))
  return { code: response.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text), warnings }
}
