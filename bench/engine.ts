/**
 * The control engine alone, on the registry and the memory store: a batch of objects, then one change they all read,
 * then one that a single object reads. `node --expose-gc bench/engine.ts [objects]`
 */
import { controllerOf } from '#control/controller.ts'
import { Engine } from '#control/engine.ts'
import { NO_METRICS } from '#control/metrics.ts'
import { TEST_INSTALLATION } from '#control/world.ts'
import { systemClock } from '#lib/clock.ts'
import { createLog } from '#lib/log.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { createRegistry } from '#registry/create-registry.ts'
import { registrySource } from '#registry/source.ts'
import { openMemoryStore } from '#store/memory.ts'
import { Bed, GARDEN, gardeners, Plot } from '#test/control/garden.ts'

const objects = Number(process.argv[2] ?? 10_000)
const user = { name: 'system:stellwerk', groups: [], platform: true }
const registry = createRegistry({ store: openMemoryStore(), kinds: GARDEN, secretKey: new Uint8Array(32) })
let runs = 0
let writes = 0
let waited = 0
const engine = new Engine({
  source: registrySource(registry, user),
  controllers: gardeners.map(({ kind, planner }) =>
    controllerOf(kind, (self, world) => (runs++, planner(self, world))),
  ),
  kinds: GARDEN,
  installation: TEST_INSTALLATION,
  clock: systemClock,
  log: createLog({ level: 'silent' }),
  metrics: { ...NO_METRICS, write: () => void writes++ },
})
const stop = new AbortController()
const done = engine.run(stop.signal)

const put = async (kind: Kind, name: string, spec: object, resourceVersion?: string): Promise<void> => {
  const value = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name, namespace: 'a', resourceVersion },
    spec,
  }
  const body = { value, duplicates: [] }
  if (resourceVersion === undefined) await registry.create(kind, 'a', body, { user })
  else await registry.update(kind, { namespace: 'a', name }, body, { user })
}
const version = (kind: Kind, name: string): string | undefined =>
  registry.get(kind, { namespace: 'a', name }).resource.metadata.resourceVersion

/** The longest time, as CPU of this thread, that a request would have waited for its turn: the machine may be busy with others. */
const turns = setInterval(() => {
  const before = process.threadCpuUsage()
  setImmediate(() => {
    const { user: own, system } = process.threadCpuUsage(before)
    waited = Math.max(waited, (own + system) / 1000)
  })
}, 1)

async function measured(what: string, change: () => Promise<void>): Promise<void> {
  runs = writes = waited = 0
  const cpu = process.cpuUsage()
  const started = performance.now()
  await change()
  await engine.settle()
  const seconds = (performance.now() - started) / 1000
  const used = process.cpuUsage(cpu)
  console.log(what, {
    seconds: seconds.toFixed(3),
    cpu: ((used.user + used.system) / 1e6).toFixed(3),
    runs,
    runsPerSecond: Math.round(runs / seconds),
    writes,
    writesPerSecond: Math.round(writes / seconds),
    longestTurnCpuMs: waited.toFixed(1),
  })
}

await put(Plot, 'p', { soil: 'clay' })
await put(Plot, 'q', { soil: 'sand' })
await engine.settle()
globalThis.gc?.()
const empty = process.memoryUsage().heapUsed
await measured(`${objects} beds of one child each (and a sign, and a well they share)`, async () => {
  const names = Array.from({ length: objects }, (_, i) => `b${i}`)
  await Promise.all(names.map((name) => put(Bed, name, { plot: 'p', crops: ['kale'] })))
})
globalThis.gc?.()
const { edges, bytes, entities, readers } = engine.stats
console.log({
  heapPerPlannedObject: Math.round((process.memoryUsage().heapUsed - empty) / engine.stats.objects),
  edges,
  edgesPerObject: (edges / engine.stats.objects).toFixed(1),
  bytesPerEdge: (bytes / edges).toFixed(1),
  entities,
  readers,
})
await measured('one hot change: every bed has to write its status', () =>
  put(Plot, 'p', { soil: 'loam' }, version(Plot, 'p')),
)
await measured('one change that everyone reads and nobody minds', () =>
  put(Plot, 'p', { soil: 'loam', closed: false }, version(Plot, 'p')),
)
await measured('one change that nobody reads', () => put(Plot, 'q', { soil: 'sand', closed: true }, version(Plot, 'q')))
await measured('one bed of them', () => put(Bed, 'b7', { plot: 'p', crops: ['leek'] }, version(Bed, 'b7')))
await measured('silence', () => new Promise((resolve) => setTimeout(resolve, 2000)))
clearInterval(turns)
stop.abort()
await done
await registry.close()
