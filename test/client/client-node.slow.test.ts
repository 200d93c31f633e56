import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { CustomObjectsApi, KubeConfig, ListWatch, Watch, type KubernetesObject } from '@kubernetes/client-node'
import { ADMIN } from '#apiserver/authenticate.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import { ManualClock } from '#lib/clock.ts'
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

const KIND = { group: 'event.cp.ei.vendor.de', version: 'v1', namespace: 'tests', plural: 'eventtypes' }

interface Endpoint {
  readonly url: string
  readonly token: string
  readonly ca?: string
}

/** The library's own watch, which also says from where it was asked to go on. */
class HeardWatch extends Watch {
  readonly from: string[] = []
  heard = (): void => undefined

  override watch(...[path, query, ...rest]: Parameters<Watch['watch']>): ReturnType<Watch['watch']> {
    this.from.push(String(query['resourceVersion']))
    this.heard()
    return super.watch(path, query, ...rest)
  }
}

/** An informer as its documentation shows it: when it reports an error, it is started again. */
class Follower {
  readonly story: string[] = []
  readonly errors: unknown[] = []
  readonly watch: HeardWatch
  readonly #api: CustomObjectsApi
  readonly #informer: ListWatch<KubernetesObject>
  lists = 0
  #woken = Promise.withResolvers<void>()

  constructor(t: TestContext, endpoint: Endpoint) {
    const config = configOf(endpoint)
    this.#api = config.makeApiClient(CustomObjectsApi)
    this.watch = new HeardWatch(config)
    const list = () => {
      this.lists++
      return this.served()
    }
    const atOnce = { delayFn: () => Promise.resolve() }
    this.#informer = new ListWatch(EVENT_TYPES, this.watch, list, false, undefined, undefined, atOnce)
    for (const verb of ['add', 'update', 'delete'] as const)
      this.#informer.on(verb, ({ metadata }) => this.#tell(`${verb} ${metadata?.name}`))
    this.watch.heard = () => this.#wake()
    this.#informer.on('error', (error) => {
      this.errors.push(error)
      setTimeout(() => void this.#informer.start(), 20).unref()
    })
    t.after(() => this.#informer.stop())
  }

  start = (): Promise<void> => this.#informer.start()

  /** What the server answers now. */
  async served(): Promise<{ items: KubernetesObject[]; metadata: { resourceVersion: string } }> {
    return (await this.#api.listNamespacedCustomObject(KIND)) as Awaited<ReturnType<Follower['served']>>
  }

  get known(): readonly KubernetesObject[] {
    return this.#informer.list().toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  }

  get names(): string {
    return this.known.map(nameOf).join()
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await this.#woken.promise
  }

  async assertCurrent(): Promise<void> {
    const { items } = await this.served()
    assert.deepEqual(this.known, items)
  }

  #tell(what: string): void {
    this.story.push(what)
    this.#wake()
  }

  #wake(): void {
    this.#woken.resolve()
    this.#woken = Promise.withResolvers()
  }
}

const nameOf = ({ metadata }: KubernetesObject): string => metadata?.name ?? ''
const versionOf = (resource: KubernetesObject | undefined): number => Number(resource?.metadata?.resourceVersion)

function configOf({ url, token, ca }: Endpoint): KubeConfig {
  const config = new KubeConfig()
  const cluster = { name: 'here', server: url, ...(ca !== undefined && { caData: Buffer.from(ca).toString('base64') }) }
  config.loadFromClusterAndUser({ ...cluster, skipTLSVerify: ca === undefined }, { name: 'admin', token })
  return config
}

describe('the informer of @kubernetes/client-node', () => {
  it('goes on after kill -9 from where it was, and lists when that is forgotten', { timeout: 90_000 }, async (t) => {
    const data = temporaryDirectory(t)
    const start = (...listen: string[]): Promise<ServerProcess> =>
      startServerProcess(t, ['--no-controllers', '--log-level', 'error', ...listen], data)
    let server = await start()
    const samePort = ['--listen', new URL(server.url).host]
    const endpoint = { url: server.url, token: tokenOf(data), ca: readFileSync(join(data, 'ca.crt'), 'utf8') }
    await create(endpoint, 'a')
    const follower = new Follower(t, endpoint)
    await follower.start()
    await create(endpoint, 'b')
    await follower.until(() => follower.names === 'a,b')

    await server.stop('SIGKILL')
    await elsewhere(await start(), endpoint, async (meanwhile) => {
      await create(meanwhile, 'c')
      await remove(meanwhile, 'a')
    })
    server = await start(...samePort)
    await follower.until(() => follower.names === 'b,c')
    assert.deepEqual(follower.story, ['add a', 'add b', 'add c', 'delete a'])
    assert.equal(follower.lists, 1, 'what it had was still good')
    assert.ok(follower.errors.length > 0, 'it noticed')
    await follower.assertCurrent()

    await server.stop()
    await elsewhere(await start(), endpoint, async (meanwhile) => {
      await remove(meanwhile, 'b')
      await create(meanwhile, 'd')
    })
    await forgetHistory(data)
    server = await start(...samePort)
    await follower.until(() => follower.names === 'c,d')
    assert.deepEqual(follower.story.slice(4).toSorted(), ['add d', 'delete b'])
    assert.equal(follower.lists, 2)
    await create(endpoint, 'e')
    await follower.until(() => follower.names === 'c,d,e')
    assert.equal(follower.lists, 2, 'and it watches again')
    await follower.assertCurrent()
  })

  it('is right at every moment of a day in which history is forgotten', { timeout: 60_000 }, async (t) => {
    const clock = new ManualClock(Date.UTC(2030, 0, 1))
    const server = await startTestServer(t, { clock })
    const follower = new Follower(t, { url: server.url, token: TOKEN })
    await server.send('POST', EVENT_TYPES, { body: eventType('steady') })
    await follower.start()
    let forgotten = 0
    for (let step = 1; step <= 24 * 6; step++) {
      if (step % 2 === 0) await server.send('POST', EVENT_TYPES, { body: eventType(`n${step}`) })
      if (step % 6 === 0) await server.send('DELETE', `${EVENT_TYPES}/n${step - 2}`)
      const version = versionOf((await change(server, 'steady', `1.${step}`)).json)
      await follower.until(() => versionOf(follower.known.at(-1)) === version)
      await follower.assertCurrent()
      clock.advance(10 * 60_000)
      if (step % 20 !== 0) continue
      await busyElsewhere(server, 2100)
      await server.store.compact(server.store.revision)
      forgotten++
      const watches = follower.watch.from.length
      clock.advance(60 * 60_000)
      await follower.until(() => follower.watch.from.length > watches && follower.lists > forgotten)
    }
    assert.deepEqual(follower.errors, [])
    assert.equal(follower.lists, 1 + forgotten, 'it lists only when it has to')
    assert.ok(follower.watch.from.length >= 24 + forgotten, 'no watch is longer than an hour')
    const updates = follower.story.filter((line) => line === 'update steady')
    assert.equal(updates.length, 24 * 6, 'every change once')
  })

  it('that gives up on silent watches misses nothing in between', { timeout: 30_000 }, async (t) => {
    const server = await startTestServer(t)
    const follower = new Follower(t, { url: server.url, token: TOKEN })
    Object.assign(follower.watch, { requestTimeoutMs: 15 })
    await follower.start()
    for (let i = 100; i < 130; i++) {
      await server.send('POST', EVENT_TYPES, { body: eventType(`n${i}`) })
      const watches = follower.watch.from.length
      await follower.until(() => follower.watch.from.length > watches)
    }
    await follower.until(() => follower.known.length === 30)
    assert.deepEqual(
      follower.story,
      Array.from({ length: 30 }, (_, i) => `add n${100 + i}`),
    )
    assert.equal(follower.lists, 1)
    await follower.assertCurrent()
  })
})

/** Lets something happen on another port, where the informer does not see it, and ends that server. */
async function elsewhere(server: ServerProcess, endpoint: Endpoint, act: (there: Endpoint) => Promise<void>) {
  await act({ ...endpoint, url: server.url })
  await server.stop()
}

async function forgetHistory(data: string): Promise<void> {
  const store = await openSqliteStore({ path: join(data, 'store.db') })
  await store.compact(store.revision)
  await store.close()
}

async function create(endpoint: Endpoint, name: string): Promise<void> {
  const api = configOf(endpoint).makeApiClient(CustomObjectsApi)
  await api.createNamespacedCustomObject({ ...KIND, body: eventType(name) })
}

async function remove(endpoint: Endpoint, name: string): Promise<void> {
  const api = configOf(endpoint).makeApiClient(CustomObjectsApi)
  await api.deleteNamespacedCustomObject({ ...KIND, name })
}

function change(server: TestServer, name: string, version: string) {
  const headers = { 'content-type': 'application/merge-patch+json' }
  return server.send('PATCH', `${EVENT_TYPES}/${name}`, { headers, body: { spec: { version } } })
}

/** More writes to other kinds than the server keeps at hand. */
async function busyElsewhere({ registry }: TestServer, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const value = { metadata: { annotations: { revision: String(registry.revision) } } }
    await registry.patch(
      Namespace,
      { namespace: '', name: 'tests' },
      { type: 'merge', value, duplicates: [] },
      { user: ADMIN },
    )
  }
}
