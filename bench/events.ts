import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '#test/support/connection.ts'
import { Backend } from './backend.ts'
import { derivedFor, writeByHand } from './by-hand.ts'
import { cpuSeconds, type Measured, startStellwerk } from './child.ts'
import { type Counters, lastWork, minus, readCounters } from './counters.ts'
import { openAll } from './drive.ts'
import { type EventSize, eventWorld, SUBSCRIBERS } from './event-world.ts'
import { type Fact, log, millis, printFacts, rate, seconds, times } from './facts.ts'
import { Probe, type Probed, summary } from './probe.ts'
import { measureRaw } from './raw.ts'
import { ReadyWatch } from './ready-watch.ts'
import {
  address,
  application,
  createAll,
  type Draft,
  eventConfig,
  patchSpec,
  readiness,
  subscription,
} from './world.ts'

const SIZES: Record<'small' | 'medium' | 'full', EventSize> = {
  small: { zones: 6, exposures: 30, subscriptions: 300, singles: 20, burst: 100, idleMs: 1500 },
  medium: { zones: 20, exposures: 1000, subscriptions: 2000, singles: 100, burst: 1000, idleMs: 2000 },
  full: { zones: 50, exposures: 1000, subscriptions: 10_000, singles: 200, burst: 1000, idleMs: 5000 },
}

interface Stage {
  readonly server: Measured
  readonly connections: readonly Connection[]
  readonly control: Connection
  readonly backend: Backend
  readonly probe: Probe
  readonly facts: Fact[]
  idle: Probed
}

interface Work extends Counters {
  readonly ms: number
}

/** A mesh of zones with its exposures and subscriptions: from nothing to Ready, then what single changes cost (P8, P9). */
export async function benchEvents(name: keyof typeof SIZES): Promise<void> {
  const size = SIZES[name]
  const facts: Fact[] = []
  log('raw creates and status patches, without controllers')
  const raw = await measureRaw(size)
  const backend = await Backend.start()
  const server = await startStellwerk({ flags: ['--log-level', 'warn', '--issuer-url', backend.origin] })
  try {
    const connections = await openAll(server.target, 32)
    const [control] = await openAll(server.target, 1)
    if (control === undefined) throw new Error('no connection')
    const probe = new Probe(server.target)
    await sleep(size.idleMs)
    const stage: Stage = { server, connections, control, backend, probe, facts, idle: await probe.take() }
    await buildWorld(stage, size)
    await sleep(size.idleMs)
    stage.idle = await probe.take()
    facts.push({
      name: 'API p99, idle in that world',
      value: millis(stage.idle.p99),
      note: `p50 ${millis(stage.idle.p50)}`,
    })
    await singleSubscriptions(stage, size)
    await burst(stage, size, raw.createMs)
    await changes(stage, size, raw.patchMs)
    await probe.stop()
    connections.forEach((c) => c.close())
    control.close()
  } finally {
    await server.stop()
    await backend.stop()
  }
  printFacts(
    `${size.zones} zones in full mesh, ${size.exposures} exposures, ${size.subscriptions} subscriptions`,
    facts,
  )
}

async function measured(stage: Stage, what: string, change: () => Promise<unknown>): Promise<Work> {
  const { control, probe, server, facts, backend, idle } = stage
  log(what)
  await probe.take()
  await backend.take()
  const before = await readCounters(control)
  const cpu = cpuSeconds(server.pid)
  const began = performance.now()
  await change()
  const { at, counters } = await lastWork(control)
  const used = cpuSeconds(server.pid) - cpu
  const busy = await probe.take()
  const calls = await backend.take()
  const work = { ...minus(counters, before), ms: at - began }
  const outside = calls.PUT + calls.DELETE === 0 ? '' : `, backend PUT ${calls.PUT} DELETE ${calls.DELETE}`
  facts.push(
    { name: what, value: seconds(work.ms), note: `server CPU ${used.toFixed(2)} s${outside}` },
    { name: '  runs', value: String(work.runs), note: `${rate(work.runs, work.ms)} ${shown(work.runsOf)}` },
    { name: '  writes', value: String(work.writes), note: `${rate(work.writes, work.ms)} ${shown(work.writesOf)}` },
    {
      name: '  API p99 meanwhile',
      value: millis(busy.p99),
      ratio: times(busy.p99, idle.p99),
      goal: '<= 2x idle',
      note: `p50 ${millis(busy.p50)}, max ${millis(busy.max)}`,
    },
  )
  return work
}

const shown = (table: ReadonlyMap<string, number>): string =>
  [...table]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 12)
    .map(([what, n]) => `${what} ${n}`)
    .join(', ')

const SUBSCRIPTIONS = 'event.cp.ei.vendor.de/v1/eventsubscriptions'

async function expectReady(control: Connection, count: number): Promise<void> {
  const { all, ready, example } = await readiness(control, SUBSCRIPTIONS)
  if (ready !== count) throw new Error(`${ready} of ${all} EventSubscriptions are ready, expected ${count}: ${example}`)
}

async function buildWorld(stage: Stage, size: EventSize): Promise<void> {
  const { server, connections, control, backend, facts } = stage
  const world = eventWorld(size, backend.origin)
  await measured(stage, `${size.zones} zones with EventConfigs`, () => createAll(server, connections, world.ground))
  await measured(stage, `${size.exposures} exposures`, () => createAll(server, connections, world.offers))
  const work = await measured(stage, `${size.subscriptions} subscriptions, all Ready`, () =>
    createAll(server, connections, world.subscriptions),
  )
  facts.push({ name: '  writes per subscription', value: (work.writes / size.subscriptions).toFixed(1) })
  await expectReady(control, size.subscriptions)
}

/** One at a time: from sending the create to the watch that says Ready. */
async function singleSubscriptions({ server, connections, control, facts }: Stage, size: EventSize): Promise<void> {
  log('single subscriptions')
  await createAll(server, connections, [application(SUBSCRIBERS, 'single', 'z1')])
  await lastWork(control)
  const watch = await ReadyWatch.open(server.target, SUBSCRIBERS)
  const took: number[] = []
  for (let i = 0; i < size.singles; i++) {
    const draft = subscription(SUBSCRIBERS, `type.n${i % size.exposures}.v1`, 'single', 'z1')
    const ready = watch.ready(draft.metadata.name)
    const began = performance.now()
    await createAll(server, connections.slice(0, 1), [draft])
    took.push((await ready) - began)
  }
  watch.close()
  const { p50, p99 } = summary(took)
  facts.push({ name: 'create to Ready, single: p99', value: millis(p99), goal: '<= 50 ms', note: `p50 ${millis(p50)}` })
}

async function burst(stage: Stage, size: EventSize, rawMs: number): Promise<void> {
  const { server, connections, control, facts } = stage
  await createAll(server, connections, [application(SUBSCRIBERS, 'burst', 'z2')])
  await lastWork(control)
  const count = Math.min(size.burst, size.exposures)
  const drafts = Array.from({ length: count }, (_, i) => subscription(SUBSCRIBERS, `type.n${i}.v1`, 'burst', 'z2'))
  const watch = await ReadyWatch.open(server.target, SUBSCRIBERS)
  const all = Promise.all(drafts.map((d) => watch.ready(d.metadata.name)))
  const began = performance.now()
  let last = 0
  await measured(stage, `${drafts.length} subscriptions at once`, async () => {
    await createAll(server, connections, drafts)
    last = Math.max(...(await all)) - began
  })
  watch.close()
  const floor = (rawMs * drafts.length) / size.burst
  facts.push({
    name: '  last one Ready after',
    value: seconds(last),
    ratio: times(last, floor),
    goal: '<= 3x raw',
    note: `${drafts.length} raw creates took ${seconds(floor)}`,
  })
  await againstByHand(stage, last)
}

/** P8 as decision 14 proposes it: what follows comes sooner than a client that knew it could have written it. */
async function againstByHand({ control, facts }: Stage, last: number): Promise<void> {
  const objects = await derivedFor(control, SUBSCRIBERS, 'burst')
  log(`${objects.length} objects by hand`)
  const byHand = await writeByHand(objects)
  facts.push({
    name: '  against writing them by hand',
    value: seconds(byHand),
    ratio: times(last, byHand),
    goal: '<= 1x (proposed)',
    note: `a client creates the ${objects.length} objects and writes their statuses`,
  })
}

async function changes(stage: Stage, size: EventSize, rawPatchMs: number): Promise<void> {
  const { control, backend } = stage
  const names = Array.from({ length: size.zones }, (_, i) => `z${i + 1}`)
  const config = (home: string): Draft => eventConfig(home, backend.origin)
  const others = (...without: string[]): object => ({
    mesh: { fullMesh: false, zoneNames: names.filter((n) => !without.includes(n)) },
  })
  const full = { mesh: { fullMesh: true, zoneNames: null } }
  await measured(stage, 'one mesh excludes one zone', () => patchSpec(control, config('z1'), others('z3')))
  await measured(stage, 'and includes it again', () => patchSpec(control, config('z1'), full))
  await moveExposure(stage, size)
  await oneMesh(stage, size, rawPatchMs, { alone: { mesh: { fullMesh: false, zoneNames: ['z1'] } }, full })
  const sequential = async (spec: (home: string) => object): Promise<void> => {
    for (const home of names) await patchSpec(control, config(home), spec(home))
  }
  const revoked = await measured(stage, 'every mesh excludes all other zones', () =>
    sequential((home) => ({ mesh: { fullMesh: false, zoneNames: [home] } })),
  )
  compare(stage, revoked, rawPatchMs, size)
  const granted = await measured(stage, 'and all include them again', () => sequential(() => full))
  compare(stage, granted, rawPatchMs, size)
  await expectReady(control, size.subscriptions + size.singles + Math.min(size.burst, size.exposures))
}

/** P9: one mesh changes, and everything that follows from it, for whoever is affected and for nobody else. */
async function oneMesh(
  stage: Stage,
  size: EventSize,
  rawPatchMs: number,
  { alone, full }: { readonly alone: object; readonly full: object },
): Promise<void> {
  const { control, backend, facts } = stage
  const before = await readiness(control, SUBSCRIPTIONS)
  const work = await measured(stage, 'one mesh excludes all other zones', () =>
    patchSpec(control, eventConfig('z1', backend.origin), alone),
  )
  const affected = before.ready - (await readiness(control, SUBSCRIPTIONS)).ready
  compare(stage, work, rawPatchMs, size)
  facts.push({ name: '  subscriptions affected', value: String(affected), goal: 'one status write each' })
  await measured(stage, 'and includes them again', () => patchSpec(control, eventConfig('z1', backend.origin), full))
}

function compare({ facts }: Stage, work: Work, rawPatchMs: number, size: EventSize): void {
  const statuses = work.writesOf.get('EventSubscription updateStatus') ?? 0
  facts.push({
    name: '  against as many raw status patches',
    value: seconds(rawPatchMs),
    ratio: times(work.ms, rawPatchMs),
    note: `${size.subscriptions} patches on our own server; ${statuses} status writes of subscriptions`,
  })
}

async function moveExposure(stage: Stage, size: EventSize): Promise<void> {
  const world = eventWorld(size, stage.backend.origin)
  const exposure = world.offers.find((d) => d.kind === 'EventExposure')
  if (exposure === undefined) throw new Error('no exposure')
  const spec = { zone: { name: 'z2', namespace: 'bench' } }
  await measured(stage, `one exposure moves (${address(exposure).split('/').at(-1)})`, () =>
    patchSpec(stage.control, exposure, spec),
  )
}
