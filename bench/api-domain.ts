/**
 * The API domain on the registry and the memory store: many subscriptions over some APIs and zones, then single changes
 * and what they cost. `npm run bench -- apis [subscriptions] [apis] [zones]`
 */
import type { Controller } from '#control/controller.ts'
import { Engine } from '#control/engine.ts'
import { NO_METRICS } from '#control/metrics.ts'
import { TEST_INSTALLATION } from '#control/world.ts'
import { apiControllers } from '#controllers/api.ts'
import { platformControllers } from '#controllers/platform.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { ApiExposure } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { systemClock } from '#lib/clock.ts'
import { createLog } from '#lib/log.ts'
import { createRegistry } from '#registry/create-registry.ts'
import { registrySource } from '#registry/source.ts'
import { openMemoryStore } from '#store/memory.ts'

const sizes = process.argv.slice(2).filter((word) => /^\d+$/.test(word))
const [subscriptions = 10_000, apis = 500, zones = 10] = sizes.map(Number)
const TEAMS = 50
const user = { name: 'system:stellwerk', groups: [], platform: true }
const person = { name: 'ann', groups: [] }
const registry = createRegistry({ store: openMemoryStore(), kinds: KINDS, secretKey: new Uint8Array(32) })
let runs = new Map<string, number>()
let writes = 0

const counted = (controller: Controller): Controller => ({
  ...controller,
  planner: (self, world) => {
    runs.set(self.kind, (runs.get(self.kind) ?? 0) + 1)
    return controller.planner(self, world)
  },
})
const engine = new Engine({
  source: registrySource(registry, user),
  controllers: [...platformControllers(), ...apiControllers()].map(counted),
  kinds: KINDS,
  installation: TEST_INSTALLATION,
  clock: systemClock,
  log: createLog({ level: 'silent' }),
  metrics: { ...NO_METRICS, write: () => void writes++ },
})
const stop = new AbortController()
const done = engine.run(stop.signal)

async function put(kind: Kind, namespace: string, name: string, spec: object): Promise<void> {
  const value = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name, namespace }, spec }
  await registry.create(kind, namespace, { value, duplicates: [] }, { user: person })
}

async function change(kind: Kind, namespace: string, name: string, more: object): Promise<void> {
  const { resource } = registry.get(kind, { namespace, name })
  const value = { ...resource, spec: { ...(resource.spec as object), ...more } }
  await registry.update(kind, { namespace, name }, { value, duplicates: [] }, { user: person })
}

async function settle(): Promise<void> {
  await engine.settle()
  await registry.settled()
  await engine.settle()
}

async function measured(what: string, work: () => Promise<unknown>): Promise<void> {
  runs = new Map()
  writes = 0
  const started = performance.now()
  const cpu = process.cpuUsage()
  await work()
  await settle()
  const { user: own, system } = process.cpuUsage(cpu)
  const seconds = ((performance.now() - started) / 1000).toFixed(2)
  const planned = [...runs].map(([kind, n]) => `${kind} ${n}`).toSorted()
  console.log(
    `${what}: ${seconds} s (CPU ${((own + system) / 1e6).toFixed(2)} s), ${writes} writes; planned: ${planned.join(', ')}`,
  )
}

const team = (i: number): string => `poc--eni--t${i % TEAMS}`
const path = (i: number): string => `/eni/api${i}/v1`
const zone = (i: number) => ({ name: `z${i % zones}`, namespace: 'poc' })
const subscription = (i: number) => ({
  apiBasePath: path(i % apis),
  zone: zone(Math.floor(i / apis)),
  requestor: { application: { name: 'app', namespace: team(i) } },
  traffic: {},
})
const zoneSpec = (i: number) => ({
  visibility: 'Enterprise',
  gateway: { presets: [{ name: 'default', default: true, urls: [{ hostname: `gw.z${i}.example.com` }] }] },
})

await measured(`${zones} zones and ${TEAMS} applications`, async () => {
  for (let i = 0; i <= zones; i++) await put(Zone, 'poc', `z${i}`, zoneSpec(i))
  for (let i = 0; i < TEAMS; i++) {
    const spec = { team: `eni--t${i}`, teamEmail: 't@example.com', zone: zone(i) }
    await put(Application, team(i), 'app', spec)
  }
})
await measured(`${apis} APIs registered and exposed`, async () => {
  for (let i = 0; i < apis; i++) {
    await put(ApiSpecification, team(i), `eni-api${i}-v1`, {
      basepath: path(i),
      version: '1.0.0',
      hash: 'x',
      specification: 'x',
    })
    await put(ApiExposure, team(i), `app--${i}`, {
      apiBasePath: path(i),
      upstreams: [{ url: 'https://up.example.com' }],
      visibility: 'World',
      approval: { strategy: 'Auto' },
      zone: zone(i),
      provider: { name: 'app', namespace: team(i) },
    })
  }
})
await measured(`${subscriptions} subscriptions`, async () => {
  for (let i = 0; i < subscriptions; i++) await put(ApiSubscription, team(i), `sub${i}`, subscription(i))
})
console.log(
  `heap ${Math.round(process.memoryUsage().heapUsed / 1e6)} MB, rss ${Math.round(process.memoryUsage().rss / 1e6)} MB`,
)
await measured('one more subscription in a served zone', () => put(ApiSubscription, team(0), 'more', subscription(0)))
await measured('one more in a zone that was not served', () =>
  put(ApiSubscription, team(0), 'first', { ...subscription(0), zone: { name: `z${zones}`, namespace: 'poc' } }),
)
await measured('another upstream of one API', () =>
  change(ApiExposure, team(0), 'app--0', { upstreams: [{ url: 'https://new.example.com' }] }),
)
await measured('another version of one API', () =>
  change(ApiSpecification, team(0), 'eni-api0-v1', { version: '1.1.0' }),
)
await measured('one API gone', () =>
  registry.delete(ApiSpecification, { namespace: team(1), name: 'eni-api1-v1' }, {}, { user: person }),
)
stop.abort()
await done
await registry.close()
