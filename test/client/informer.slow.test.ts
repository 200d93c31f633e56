import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { ADMIN } from '#apiserver/authenticate.ts'
import { connectTo, type ApiConnection, type Endpoint } from '#client/api-connection.ts'
import { followOver } from '#client/follow-kinds.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { ManualClock, systemClock, type Clock } from '#lib/clock.ts'
import { openSqliteStore } from '#store/sqlite.ts'
import {
  EVENT_TYPES,
  eventType,
  startServerProcess,
  startTestServer,
  temporaryDirectory,
  TOKEN,
  tokenOf,
  type ServerProcess,
  type TestServer,
} from '#test/support/server.ts'

/** What an informer knows, and how it came to know it. */
class Informed {
  readonly lists: string[] = []
  readonly watches: string[] = []
  readonly story: string[] = []
  readonly #known = new Map<string, Resource>()
  #waiting: (() => void)[] = []
  #last = 0

  snapshot(resources: readonly Resource[]): void {
    this.#known.clear()
    for (const resource of resources) this.#know(resource)
    this.story.push(`snapshot ${this.names}`)
    this.#last = 0
    this.#wake()
  }

  changed(type: string, resource: Resource): void {
    const version = Number(resource.metadata.resourceVersion)
    assert.ok(version > this.#last, 'changes come in order, each once')
    this.#last = version
    if (type === 'DELETED') this.#known.delete(resource.metadata.name)
    else this.#know(resource)
    this.story.push(`${type} ${resource.metadata.name}`)
    this.#wake()
  }

  get names(): string {
    return [...this.#known.keys()].toSorted((a, b) => (a < b ? -1 : 1)).join(',')
  }

  versionOf(name: string): unknown {
    return (this.#known.get(name)?.spec as { version?: unknown } | undefined)?.version
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  asked(path: string): void {
    ;(path.includes('watch=true') ? this.watches : this.lists).push(path)
    this.#wake()
  }

  #know(resource: Resource): void {
    this.#known.set(resource.metadata.name, resource)
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}

function informed(
  t: TestContext,
  endpoint: Endpoint,
  clock: Clock = systemClock,
  kinds: readonly Kind[] = [EventType],
) {
  const informer = new Informed()
  const stop = new AbortController()
  const follower = {
    snapshot: (resources: readonly Resource[]) => informer.snapshot(resources),
    changed: (changes: readonly { type: string; resource: Resource }[]) => {
      for (const { type, resource } of changes) informer.changed(type, resource)
    },
  }
  const connection = listenedTo(connectTo(endpoint), informer)
  const done = followOver(connection, { clock })(kinds, follower, stop.signal)
  t.after(async () => {
    stop.abort()
    await done
    connection.close()
  })
  return informer
}

const listenedTo = (connection: ApiConnection, informer: Informed): ApiConnection => ({
  get: (path, signal) => {
    informer.asked(path)
    return connection.get(path, signal)
  },
  lines: (path, signal) => {
    informer.asked(path)
    return connection.lines(path, signal)
  },
  close: () => connection.close(),
})

describe('an informer', () => {
  it(
    'resumes after a crash without listing again, and lists when the history is gone',
    { timeout: 90_000 },
    async (t) => {
      const data = temporaryDirectory(t)
      const flags = ['--no-controllers', '--log-level', 'error']
      const start = (listen: readonly string[] = []): Promise<ServerProcess> =>
        startServerProcess(t, [...flags, ...listen], data)
      let server = await start()
      const again = ['--listen', new URL(server.url).host]
      const endpoint = { url: server.url, token: tokenOf(data), ca: readFileSync(join(data, 'ca.crt'), 'utf8') }
      const write = (at: ServerProcess) => writer({ ...endpoint, url: at.url })
      await write(server)('POST', EVENT_TYPES, eventType('a'))
      const informer = informed(t, endpoint)
      await informer.until(() => informer.names === 'a' && informer.watches.length > 0)

      await server.stop('SIGKILL')
      server = await start(again)
      await write(server)('POST', EVENT_TYPES, eventType('b'))
      await informer.until(() => informer.names === 'a,b')
      assert.equal(informer.lists.length, 1, 'what it had was still good')
      assert.deepEqual(informer.story, ['snapshot a', 'ADDED b'])

      await server.stop()
      const another = await start()
      await write(another)('DELETE', `${EVENT_TYPES}/a`)
      await write(another)('POST', EVENT_TYPES, eventType('c'))
      await another.stop()
      const store = await openSqliteStore({ path: join(data, 'store.db') })
      await store.compact(store.revision)
      await store.close()
      await start(again)
      await informer.until(() => informer.names === 'b,c')
      assert.deepEqual(informer.story, ['snapshot a', 'ADDED b', 'snapshot b,c'])
      assert.equal(informer.lists.length, 2)
    },
  )

  it(
    'lives through a day, during which the server forgets all history, with one list',
    { timeout: 60_000 },
    async (t) => {
      const clock = new ManualClock(Date.UTC(2030, 0, 1))
      const server = await startTestServer(t, { clock })
      await server.send('POST', EVENT_TYPES, { body: eventType('steady') })
      const informer = informed(t, { url: server.url, token: TOKEN }, clock)
      await informer.until(() => informer.watches.length > 0)
      const start = clock.now()
      let cycle = 0
      while (clock.now() < start + 24 * 3_600_000) {
        const version = `1.${cycle++}`
        const headers = { 'content-type': 'application/merge-patch+json' }
        await server.send('PATCH', `${EVENT_TYPES}/steady`, { headers, body: { spec: { version } } })
        await informer.until(() => informer.versionOf('steady') === version)
        await elsewhere(server, cycle === 5 ? 2100 : 1)
        await server.store.compact(server.store.revision)
        clock.advance(secondsOf(informer.watches.at(-1)) * 1000)
        await informer.until(() => informer.watches.length > cycle)
      }
      assert.equal(informer.lists.length, 1)
      assert.ok(cycle >= 24 * 6, 'no watch is longer than ten minutes')
      assert.equal(informer.story.length, cycle + 1, 'every change once')
    },
  )

  it('of several kinds shows all of them at once, then each change', async (t) => {
    const server = await startTestServer(t)
    for (let i = 0; i < 3; i++) await server.send('POST', EVENT_TYPES, { body: eventType(`e${i}`) })
    const informer = informed(t, { url: server.url, token: TOKEN }, systemClock, [EventType, Namespace])
    await informer.until(() => informer.names !== '')
    assert.deepEqual(informer.story, ['snapshot e0,e1,e2,tests'])
    await server.send('DELETE', `${EVENT_TYPES}/e1`)
    await informer.until(() => informer.names === 'e0,e2,tests')
  })

  it('whose pages outlive the history asks for the whole list', async (t) => {
    const server = await startTestServer(t)
    const make = (name: string) =>
      server.registry.create(EventType, 'tests', { value: eventType(name), duplicates: [] }, { user: ADMIN })
    for (let i = 0; i < 600; i++) await make(`n${i}`)
    const informer = new Informed()
    const stop = new AbortController()
    const plain = connectTo({ url: server.url, token: TOKEN })
    const forgetful: ApiConnection = {
      ...listenedTo(plain, informer),
      get: async (path, signal) => {
        informer.asked(path)
        const page = await plain.get(path, signal)
        if (informer.lists.length === 1) {
          await make('late')
          await server.store.compact(server.store.revision)
        }
        return page
      },
    }
    const follower = { snapshot: (all: readonly Resource[]) => informer.snapshot(all), changed: () => undefined }
    const done = followOver(forgetful)([EventType], follower, stop.signal)
    await informer.until(() => informer.names !== '')
    assert.equal(informer.names.split(',').length, 601)
    assert.equal(informer.lists.length, 3)
    stop.abort()
    await done
    plain.close()
  })
})

const secondsOf = (path = ''): number => Number(/timeoutSeconds=(\d+)/.exec(path)?.[1])

/** Writes that the informer is not about: more of them than the server keeps at hand, if many. */
async function elsewhere({ registry }: TestServer, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const value = { metadata: { annotations: { revision: String(registry.revision) } } }
    const key = { namespace: '', name: 'tests' }
    await registry.patch(Namespace, key, { type: 'merge', value, duplicates: [] }, { user: ADMIN })
  }
}

function writer({ url, token, ca }: Endpoint) {
  return async (method: string, path: string, body?: object): Promise<void> => {
    const { request } = await import('node:https')
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    await new Promise<void>((resolve, reject) => {
      const sent = request(new URL(path, url), { method, headers, ca, agent: false }, (response) => {
        response.resume().on('end', () => (response.statusCode! < 300 ? resolve() : reject(new Error(path))))
      })
      sent.on('error', reject).end(body && JSON.stringify(body))
    })
  }
}
