import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '#test/support/connection.ts'
import { cpuSeconds, type Measured, residentBytes, startStellwerk } from './child.ts'
import { type Counters, lastWork, minus, readCounters } from './counters.ts'
import { openAll } from './drive.ts'
import { type Fact, log, millis, printFacts, rate, seconds, times } from './facts.ts'
import { Probe, type Probed } from './probe.ts'
import { application, createAll, patchSpec, readiness, zone } from './world.ts'

const SIZES = {
  small: { applications: 500, silence: 2000 },
  medium: { applications: 3000, silence: 3000 },
  full: { applications: 10_000, silence: 10_000 },
}
const TEAM = 'bench--shop--orders'
const ROTATION = { identityProvider: { secretRotation: { enabled: true, expirationPeriod: '90d', gracePeriod: '7d' } } }

interface Stage {
  readonly server: Measured
  readonly connections: readonly Connection[]
  readonly control: Connection
  readonly probe: Probe
  readonly idle: Probed
  /** While the same batch is created without controllers. */
  readonly alone: Probed
  readonly facts: Fact[]
}

/** Many Applications in one batch, then one Zone change they all read: what the engine costs, and what others notice. */
export async function benchApplications(name: keyof typeof SIZES): Promise<void> {
  const size = SIZES[name]
  const alone = await withoutEngine(size.applications)
  const server = await startStellwerk({ flags: ['--log-level', 'warn'] })
  const facts: Fact[] = []
  try {
    const connections = await openAll(server.target, 32)
    const [control] = await openAll(server.target, 1)
    if (control === undefined) throw new Error('no connection')
    await createAll(server, connections, [zone('z1')])
    await lastWork(control)
    const probe = new Probe(server.target)
    await sleep(size.silence)
    const idle = await probe.take()
    facts.push({
      name: 'API p99, idle',
      value: millis(idle.p99),
      note: `p50 ${millis(idle.p50)}, p99 of reads ${millis(idle.reads)}, of creates ${millis(idle.writes)}`,
    })
    const stage: Stage = { server, connections, control, probe, idle, alone, facts }
    await batch(stage, size.applications)
    await measure(stage, 'one Zone change', size.applications, () => patchSpec(control, zone('z1'), ROTATION))
    await measure(stage, 'one Zone change nobody minds', 1, () =>
      patchSpec(control, zone('z1'), { visibility: 'World' }),
    )
    await probe.stop()
    facts.push(...(await silence(server.pid, size.silence, () => readCounters(control))))
    connections.forEach((c) => c.close())
    control.close()
  } finally {
    await server.stop()
  }
  printFacts(`${size.applications} Applications, SQLite, controllers on`, facts)
}

/** What others notice of the same batch when nobody plans anything. */
async function withoutEngine(count: number): Promise<Probed> {
  log(`${count} Applications, without controllers`)
  const server = await startStellwerk()
  try {
    const connections = await openAll(server.target, 32)
    const probe = new Probe(server.target)
    await probe.take()
    const drafts = Array.from({ length: count }, (_, i) => application(TEAM, `app-${i}`, 'z1'))
    await createAll(server, connections, drafts)
    const making = await probe.take()
    await probe.stop()
    connections.forEach((c) => c.close())
    return making
  } finally {
    await server.stop()
  }
}

async function batch(stage: Stage, count: number): Promise<void> {
  const { server, connections, control, facts } = stage
  const memory = residentBytes(server.pid)
  const drafts = Array.from({ length: count }, (_, i) => application(TEAM, `app-${i}`, 'z1'))
  await measure(stage, `${count} Applications`, count, () => createAll(server, connections, drafts))
  const { all, ready, example } = await readiness(control, 'application.cp.ei.vendor.de/v1/applications')
  if (all !== count || ready !== all) throw new Error(`${ready} of ${all} Applications are ready: ${example}`)
  const each = Math.round((residentBytes(server.pid) - memory) / count / 1024)
  const note = 'resident, with its Client, its Consumer and the log'
  facts.push({ name: '  memory per Application', value: `${each} KiB`, note })
}

async function measure(stage: Stage, what: string, affected: number, change: () => Promise<unknown>): Promise<void> {
  const { server, control, probe, idle, alone, facts } = stage
  log(what)
  await probe.take()
  const before = await readCounters(control)
  const cpu = cpuSeconds(server.pid)
  const began = performance.now()
  await change()
  const made = performance.now() - began
  const making = await probe.take()
  const { at, counters } = await lastWork(control)
  const busy = await probe.take()
  const { runs, writes, writesOf } = minus(counters, before)
  const ms = at - began
  const each = (count: number): string => `${(count / affected).toFixed(1)} each`
  facts.push(
    { name: what, value: seconds(ms), note: `server CPU ${(cpuSeconds(server.pid) - cpu).toFixed(1)} s` },
    { name: '  runs', value: String(runs), ratio: each(runs), note: rate(runs, ms) },
    { name: '  writes', value: String(writes), ratio: each(writes), note: `${rate(writes, ms)} ${shown(writesOf)}` },
  )
  if (affected > 1 && made > 500)
    facts.push({
      name: '  API p99 while they are created',
      value: millis(making.p99),
      ratio: times(making.p99, alone.p99),
      note: `of ${millis(alone.p99)} without controllers; 32 clients at once for ${seconds(made)}, p50 ${millis(making.p50)}`,
    })
  facts.push({
    name: '  API p99 while the engine works',
    value: millis(busy.p99),
    ratio: times(busy.p99, idle.p99),
    goal: '<= 2x idle',
    note: `for ${seconds(ms - made)}; p50 ${millis(busy.p50)}, p99 of reads ${millis(busy.reads)} (${times(busy.reads, idle.reads)}), of creates ${millis(busy.writes)} (${times(busy.writes, idle.writes)}), max ${millis(busy.max)}`,
  })
}

/** A converged world writes nothing and costs next to nothing. */
async function silence(pid: number, ms: number, read: () => Promise<Counters>): Promise<readonly Fact[]> {
  log('silence')
  const before = await read()
  const cpu = cpuSeconds(pid)
  await sleep(ms)
  const used = cpuSeconds(pid) - cpu
  const work = minus(await read(), before)
  const note = 'Events of the batch may still be told, a hundred a second'
  return [
    { name: 'silence: writes', value: String(work.writes), goal: '0', note: `over ${seconds(ms)}, ${work.runs} runs` },
    { name: 'silence: CPU', value: `${((used / (ms / 1000)) * 100).toFixed(1)} %`, goal: 'near 0', note },
  ]
}

const shown = (writesOf: ReadonlyMap<string, number>): string =>
  [...writesOf]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 6)
    .map(([what, n]) => `${what} ${n}`)
    .join(', ')
