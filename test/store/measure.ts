/** Measures the durable store on this machine: `node test/store/measure.ts [directory]`. Not a test. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore } from '#store/sqlite.ts'
import type { Store } from '#store/store.ts'

const OBJECTS = 100_000
const value = Buffer.alloc(970, 'v')
const keyOf = (i: number) => `/registry/example.stellwerk.io/eventsubscriptions/team-${i % 100}/subscription-${i}`

function create(store: Store, i: number): Promise<unknown> {
  return store.transact([{ type: 'put', key: keyOf(i), expect: 'absent', encode: () => value }])
}

/** Runs `count` calls with `lanes` of them under way at any time. */
async function run(lanes: number, count: number, call: (i: number) => Promise<unknown>): Promise<string> {
  let next = 0
  const started = performance.now()
  const thread = process.threadCpuUsage()
  const whole = process.cpuUsage()
  const lane = async () => {
    while (next < count) await call(next++)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  const seconds = (performance.now() - started) / 1000
  const used = process.threadCpuUsage(thread)
  const all = process.cpuUsage(whole)
  const micros = (usage: NodeJS.CpuUsage) => ((usage.user + usage.system) / count).toFixed(1)
  return `${Math.round(count / seconds)}/s, main thread ${micros(used)} µs, process ${micros(all)} µs CPU each`
}

async function writes(base: string): Promise<void> {
  for (const [lanes, count] of [
    [1, 2000],
    [64, 20_000],
    [256, 40_000],
    [1024, 40_000],
  ] as const) {
    const store = await openSqliteStore({ path: `${base}-${lanes}` })
    await run(lanes, Math.min(1000, count), (i) => create(store, count + i))
    console.log(`create, ${lanes} under way: ${await run(lanes, count, (i) => create(store, i))}`)
    await store.close()
  }
}

function resident(): number {
  for (let i = 0; i < 3; i++) globalThis.gc?.()
  return process.memoryUsage.rss()
}

async function fill(path: string): Promise<void> {
  const store = await openSqliteStore({ path })
  const before = resident()
  const growth = () => `resident growth ${Math.round((resident() - before) / OBJECTS)} bytes per object`
  console.log(`create ${OBJECTS}, 256 under way: ${await run(256, OBJECTS, (i) => create(store, i))}; ${growth()}`)
  await store.close()
}

async function open(path: string): Promise<void> {
  const before = resident()
  const started = performance.now()
  const store = await openSqliteStore({ path })
  const ms = Math.round(performance.now() - started)
  const growth = Math.round((resident() - before) / OBJECTS)
  console.log(
    `open ${store.count('')} objects with ${store.revision - store.floor} revisions: ${ms} ms; ${growth} bytes per object`,
  )
  await store.close()
}

async function update(path: string): Promise<void> {
  const store = await openSqliteStore({ path })
  const before = resident()
  const put = (i: number) =>
    store.transact([{ type: 'put', key: keyOf((i * 7919) % OBJECTS), expect: 'any', encode: () => value }])
  const speed = await run(256, OBJECTS, put)
  console.log(
    `update ${OBJECTS}, 256 under way: ${speed}; ${Math.round((resident() - before) / OBJECTS)} bytes more per object`,
  )
  await store.close()
}

const stages: Record<string, (path: string) => Promise<void>> = { writes, fill, open, update }
const [stage, path = ''] = process.argv.slice(2)
if (stage !== undefined && stage in stages) await stages[stage]!(path)
else {
  const directory = mkdtempSync(join(stage ?? tmpdir(), 'stellwerk-measure-'))
  for (const next of ['writes', 'fill', 'open', 'open', 'update', 'open']) {
    const at = join(directory, next === 'writes' ? 'writes' : 'large', 'store.db')
    spawnSync(process.execPath, ['--expose-gc', import.meta.filename, next, at], { stdio: 'inherit' })
  }
  rmSync(directory, { recursive: true })
}
