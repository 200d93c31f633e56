import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import type { Access } from '#apiserver/access.ts'
import { adminToken } from '#apiserver/authenticate.ts'
import { createApiServer } from '#apiserver/create-api-server.ts'
import type { LimitOptions } from '#apiserver/limits.ts'
import type { User } from '#domain/kind.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { systemClock, type Clock } from '#lib/clock.ts'
import { createLog } from '#lib/log.ts'
import { createRegistry } from '#registry/create-registry.ts'
import type { Registry } from '#registry/registry.ts'
import { openMemoryStore } from '#store/memory.ts'
import type { Store } from '#store/store.ts'

export const TOKEN = 'the-token-of-the-tests'

export interface Sent {
  readonly headers?: OutgoingHttpHeaders
  /** An object is sent as JSON, text as it stands. */
  readonly body?: object | string | Buffer
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  // A test says what it expects by reading it: the compiler cannot know.
  readonly json: any
}

/** The API over a real socket, in this process. */
export interface TestServer {
  readonly url: string
  readonly port: number
  readonly registry: Registry
  readonly store: Store
  /** As the administrator, unless `headers.authorization` says otherwise. */
  send(method: string, path: string, sent?: Sent): Promise<Answer>
  /** The lines of a watch, one by one. */
  watch(path: string, headers?: OutgoingHttpHeaders): Promise<Lines>
}

export interface ServerOptions {
  readonly limits?: Partial<LimitOptions>
  readonly clock?: Clock
  readonly access?: Access
  readonly store?: Store
  /** People besides the administrator, by token. */
  readonly users?: Readonly<Record<string, User>>
  /** Receives the lines of the log. */
  readonly log?: string[]
}

/** Plain HTTP, memory store; closed when the test is over. */
export async function startTestServer(t: Pick<TestContext, 'after'>, options: ServerOptions = {}): Promise<TestServer> {
  const store = options.store ?? openMemoryStore()
  const clock = options.clock ?? systemClock
  const registry = createRegistry({ store, kinds: KINDS, clock, secretKey: Buffer.alloc(32, 7) })
  const lines = options.log
  const log = createLog(
    lines === undefined ? { level: 'silent' } : { destination: { write: (line) => void lines.push(line) } },
  )
  const authenticators = [adminToken(TOKEN), (token: string) => options.users?.[token]]
  const api = createApiServer({
    registry,
    authenticators,
    clock,
    log,
    version: '0.0.0',
    limits: options.limits,
    access: options.access,
  })
  const { port } = await api.listen({ host: '127.0.0.1', port: 0 })
  t.after(async () => {
    await api.close(100)
    await registry.close()
    await store.close()
  })
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    registry,
    store,
    send: (method, path, sent) => send(port, method, path, sent),
    watch: (path, headers) => openWatch(port, path, headers),
  }
}

async function open(port: number, method: string, path: string, sent: Sent = {}): Promise<IncomingMessage> {
  const body = typeof sent.body === 'object' && !Buffer.isBuffer(sent.body) ? JSON.stringify(sent.body) : sent.body
  const headers: OutgoingHttpHeaders = { authorization: `Bearer ${TOKEN}`, 'user-agent': 'tests/1.0', ...sent.headers }
  if (typeof sent.body === 'object' && headers['content-type'] === undefined)
    headers['content-type'] = 'application/json'
  if (body !== undefined && headers['transfer-encoding'] === undefined)
    headers['content-length'] = Buffer.byteLength(body)
  const request = httpRequest({ port, host: '127.0.0.1', method, path, headers, agent: false })
  request.end(body)
  // A body that is refused half-way resets the connection, perhaps after the answer has arrived.
  request.on('error', () => undefined)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

async function send(port: number, method: string, path: string, sent?: Sent): Promise<Answer> {
  const response = await open(port, method, path, sent)
  const text = Buffer.concat(await response.toArray()).toString()
  const isJson = response.headers['content-type']?.startsWith('application/json') === true
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  }
}

/** Lines as they arrive; `next` waits for one and is undefined at the end. */
export interface Lines {
  readonly status: number
  readonly response: IncomingMessage
  next(): Promise<any>
  close(): void
}

async function openWatch(port: number, path: string, headers: OutgoingHttpHeaders = {}): Promise<Lines> {
  const response = await open(port, 'GET', path, { headers })
  const lines = createInterface(response)[Symbol.asyncIterator]()
  response.on('error', () => undefined)
  return {
    status: response.statusCode ?? 0,
    response,
    next: async () => {
      const { value, done } = await lines.next()
      return done === true || value === undefined ? undefined : JSON.parse(value)
    },
    close: () => response.destroy(),
  }
}

export const EVENT_TYPES = '/apis/event.cp.ei.vendor.de/v1/namespaces/tests/eventtypes'

/** A valid EventType; `changes` are laid over its spec. */
export const eventType = (name: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'event.cp.ei.vendor.de/v1',
  kind: 'EventType',
  metadata: { name, ...metadata },
  spec: { type: 'de.vendor.tests.v1', version: '1.0.0', ...spec },
})

export const LAUNCHER = join(import.meta.dirname, '..', '..', 'stellwerk')

export interface ServerProcess {
  readonly child: ChildProcess
  readonly url: string
  readonly data: string
  readonly kubeconfig: string
  /** Everything it wrote to standard error so far. */
  stderr(): string
  /** @returns the exit code, or the signal that ended it */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

/** `stellwerk serve` as other programs start it; gone when the test is over. */
export async function startServerProcess(
  t: Pick<TestContext, 'after'>,
  args: readonly string[] = [],
  data = temporaryDirectory(t),
): Promise<ServerProcess> {
  const child = spawn(LAUNCHER, ['serve', '--data', data, '--listen', '127.0.0.1:0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk.toString()))
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals> => {
    const gone = child.exitCode ?? child.signalCode
    if (gone !== null) return gone
    const exit = once(child, 'exit')
    child.kill(signal)
    const [code, by] = (await exit) as [number | null, NodeJS.Signals]
    return code ?? by
  }
  t.after(() => stop('SIGKILL'))
  const url = await readyUrl(child, () => output.join(''))
  return { child, url, data, kubeconfig: join(data, 'kubeconfig'), stderr: () => output.join(''), stop }
}

function readyUrl(child: ChildProcess, stderr: () => string): Promise<string> {
  const { stdout } = child
  if (stdout === null) throw new Error('the process has no standard output')
  return new Promise((resolve, reject) => {
    child.once('close', (code) => reject(new Error(`it ended with ${code} instead of serving: ${stderr()}`)))
    createInterface(stdout).once('line', (line) => {
      if (line.startsWith('ready ')) resolve(line.slice(6))
      else reject(new Error(`unexpected first line: ${line}`))
    })
  })
}

/** What a command that is expected to fail said. */
export async function runToEnd(
  args: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid' | 'timeout'> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(LAUNCHER, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  const [stdout, stderr] = await Promise.all([child.stdout.toArray(), child.stderr.toArray()])
  const [code] = (await closed) as [number]
  return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }
}

export function temporaryDirectory(t: Pick<TestContext, 'after'>): string {
  const path = mkdtempSync(join(tmpdir(), 'stellwerk-test-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export const tokenOf = (data: string): string => readFileSync(join(data, 'admin.token'), 'utf8').trim()
