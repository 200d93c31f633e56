import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import type { Named } from '#domain/object.ts'
import type { Draft } from '#test/domain/event/story.ts'
import { Connection, type Answer } from '#test/support/connection.ts'
import { type ServerProcess, startServerProcess, tokenOf } from '#test/support/server.ts'

/** A configuration backend and token endpoint on a real socket; it keeps what is registered. */
export class RealBackend {
  readonly calls: string[] = []
  readonly registered = new Set<string>()
  readonly #server: Server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      const { method = '', url = '' } = request
      if (method === 'POST') return response.end('{"access_token":"t","expires_in":300}')
      this.calls.push(`${method} ${url}`)
      if (method === 'PUT') this.registered.add(url)
      else this.registered.delete(url)
      void this.gate.then(() => response.writeHead(method === 'PUT' ? 200 : 204).end())
      return this.#called()
    })
  })
  /** Nothing is answered before. */
  gate: Promise<void> = Promise.resolve()
  #called = (): void => undefined

  /** Resolves with the next call. */
  nextCall(): Promise<void> {
    return new Promise((resolve) => (this.#called = resolve))
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get removals(): number {
    return this.calls.filter((call) => call.startsWith('DELETE ')).length
  }

  async start(t: Pick<TestContext, 'after'>): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    t.after(() => {
      this.#server.closeAllConnections()
      this.#server.close()
    })
  }
}

export interface Seen {
  readonly type: string
  readonly object: any
}

/** A server process with its controllers, and the words a story about events needs. */
export class EventWorld {
  readonly backend: RealBackend
  readonly server: ServerProcess
  readonly #connection: Connection
  readonly #open: Connection[]

  private constructor(backend: RealBackend, server: ServerProcess, open: Connection[]) {
    this.backend = backend
    this.server = server
    this.#open = open
    this.#connection = open[0]!
  }

  static async start(t: Pick<TestContext, 'after'>, data?: string): Promise<EventWorld> {
    const backend = new RealBackend()
    await backend.start(t)
    return EventWorld.beside(t, backend, data)
  }

  /** With a backend that is there already, and the data of an earlier server. */
  static async beside(t: Pick<TestContext, 'after'>, backend: RealBackend, data?: string): Promise<EventWorld> {
    const server = await startServerProcess(t, ['--log-level', 'warn', '--issuer-url', backend.origin], data)
    const open: Connection[] = []
    t.after(() => open.forEach((c) => c.close()))
    const world = new EventWorld(backend, server, [await connect(server, open)])
    open.push(world.#connection)
    return world
  }

  /** Creates them; EventConfigs get the real backend. */
  async create(...drafts: readonly Draft[]): Promise<void> {
    for (const { kind, metadata, spec } of drafts) {
      const body = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec: this.#served(spec, metadata) }
      await this.#ok('POST', collection(kind, metadata.namespace), JSON.stringify(body))
    }
  }

  async patch(kind: Kind, ref: Named, spec: object): Promise<void> {
    await this.#ok('PATCH', pathOf(kind, ref), JSON.stringify({ spec }), 'application/merge-patch+json')
  }

  async delete(kind: Kind, ref: Named): Promise<void> {
    await this.#ok('DELETE', pathOf(kind, ref))
  }

  /** Undefined when there is no such object. */
  async find(kind: Kind, ref: Named): Promise<any> {
    const answer = await this.#connection.request('GET', pathOf(kind, ref))
    return answer.status === 404 ? undefined : JSON.parse(answer.body.toString())
  }

  /** Follows one object until it satisfies `holds`, and returns it. */
  async until(kind: Kind, ref: Named, holds: (object: any) => boolean): Promise<any> {
    const watch = await this.watch(kind, ref.namespace)
    try {
      return await watch.first(({ object }) => object.metadata.name === ref.name && holds(object))
    } finally {
      watch.close()
    }
  }

  untilReady(kind: Kind, ref: Named, status = 'True'): Promise<any> {
    return this.until(
      kind,
      ref,
      (o) => ready(o)?.status === status && ready(o)?.observedGeneration === o.metadata.generation,
    )
  }

  /** Everything there is in a namespace, as ADDED, and every change from then on. */
  async watch(kind: Kind, namespace: string): Promise<Watch> {
    const connection = await connect(this.server, this.#open)
    const watch = new Watch(connection)
    const answer = await connection.stream(`${collection(kind, namespace)}?watch=1`, (chunk) => watch.take(chunk))
    assert.equal(answer.status, 200)
    return watch
  }

  #served(spec: any, { namespace }: { readonly namespace: string }): any {
    if (spec.local === undefined) return spec
    return { ...spec, local: { ...spec.local, admin: { url: `${this.backend.origin}/${namespace}` } } }
  }

  async #ok(method: string, path: string, body?: string, type?: string): Promise<Answer> {
    const answer = await this.#connection.request(method, path, body, type)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.body.toString()}`)
    return answer
  }
}

/** The events of one watch, all of them kept. */
export class Watch {
  readonly seen: Seen[] = []
  readonly #connection: Connection
  #rest = ''
  #told = (): void => undefined

  constructor(connection: Connection) {
    this.#connection = connection
  }

  take(chunk: Buffer): void {
    const lines = (this.#rest + chunk.toString()).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.seen.push(JSON.parse(line))
    this.#told()
  }

  first(holds: (event: Seen) => boolean): Promise<any> {
    return new Promise((resolve) => {
      this.#told = () => {
        const found = this.seen.find((event) => event.type !== 'DELETED' && holds(event))
        if (found !== undefined) resolve(found.object)
      }
      this.#told()
    })
  }

  close(): void {
    this.#connection.close()
  }
}

export const ready = (object: any): any => object.status?.conditions?.find((c: any) => c.type === 'Ready')

async function connect(server: ServerProcess, open: Connection[]): Promise<Connection> {
  const ca = readFileSync(join(server.data, 'ca.crt'), 'utf8')
  const connection = new Connection({ url: server.url, token: tokenOf(server.data), ca })
  await connection.open()
  open.push(connection)
  return connection
}

const collection = (kind: Kind, namespace: string): string =>
  `/apis/${apiVersionOf(kind)}/namespaces/${namespace}/${kind.plural}`

const pathOf = (kind: Kind, ref: Named): string => `${collection(kind, ref.namespace)}/${ref.name}`
