import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds, residentBytes, startStellwerk } from './child.ts'
import { type Counters, lastWork, minus, readCounters } from './counters.ts'
import { openAll } from './drive.ts'
import { type Fact, log, millis, printFacts, rate, seconds, times } from './facts.ts'
import { Probe } from './probe.ts'
import { application, createAll, patchSpec, readiness, zone } from './world.ts'

const SIZES = {
  small: { applications: 500, silence: 2000 },
  medium: { applications: 3000, silence: 3000 },
  full: { applications: 10_000, silence: 10_000 },
}
const TEAM = 'bench--shop--orders'

/** Many Applications in one batch, then one Zone change they all read: what the engine costs, and what others notice. */
export async function benchApplications(name: keyof typeof SIZES): Promise<void> {
  const size = SIZES[name]
  const server = await startStellwerk({ flags: ['--log-level', 'warn'] })
  const facts: Fact[] = []
  try {
    const connections = await openAll(server.target, 32)
    const [control] = await openAll(server.target, 1)
    if (control === undefined) throw new Error('no connection')
    const home = zone('z1')
    await createAll(server, connections, [home])
    await lastWork(control)
    const probe = new Probe(server.target)
    await sleep(size.silence)
    const idle = await probe.take()
    facts.push({ name: 'API p99, idle', value: millis(idle.p99), note: `p50 ${millis(idle.p50)}` })

    const memory = residentBytes(server.pid)
    const measure = async (what: string, affected: number, change: () => Promise<unknown>): Promise<Counters> => {
      log(what)
      await probe.take()
      const before = await readCounters(control)
      const cpu = cpuSeconds(server.pid)
      const began = performance.now()
      await change()
      const { at, counters } = await lastWork(control)
      const busy = await probe.take()
      const work = minus(counters, before)
      const ms = at - began
      facts.push(
        {
          name: `${what}: converged in`,
          value: seconds(ms),
          note: `server CPU ${(cpuSeconds(server.pid) - cpu).toFixed(1)} s`,
        },
        {
          name: '  runs',
          value: String(work.runs),
          ratio: `${(work.runs / affected).toFixed(1)} each`,
          note: rate(work.runs, ms),
        },
        {
          name: '  writes',
          value: String(work.writes),
          ratio: `${(work.writes / affected).toFixed(1)} each`,
          note: `${rate(work.writes, ms)} ${written(work)}`,
        },
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
    const drafts = Array.from({ length: size.applications }, (_, i) => application(TEAM, `app-${i}`, 'z1'))
    await measure(`${size.applications} Applications`, size.applications, () => createAll(server, connections, drafts))
    const { all, ready, example } = await readiness(control, 'application.cp.ei.vendor.de/v1/applications')
    if (all !== size.applications || ready !== all)
      throw new Error(`${ready} of ${all} Applications are ready: ${example}`)
    facts.push({
      name: '  memory per Application',
      value: `${Math.round((residentBytes(server.pid) - memory) / size.applications / 1024)} KiB`,
      note: 'resident, with its Client, its Consumer and the log',
    })
    const rotation = {
      identityProvider: { secretRotation: { enabled: true, expirationPeriod: '90d', gracePeriod: '7d' } },
    }
    await measure('one Zone change', size.applications, () => patchSpec(control, home, rotation))
    await measure('one Zone change nobody minds', 1, () => patchSpec(control, home, { visibility: 'World' }))
    await probe.stop()
    facts.push(...(await silence(server.pid, size.silence, () => readCounters(control))))
    connections.forEach((c) => c.close())
    control.close()
  } finally {
    await server.stop()
  }
  printFacts(`${size.applications} Applications, SQLite, controllers on`, facts)
}

/** A converged world writes nothing and costs next to nothing. */
async function silence(pid: number, ms: number, read: () => Promise<Counters>): Promise<readonly Fact[]> {
  log('silence')
  const before = await read()
  const cpu = cpuSeconds(pid)
  await sleep(ms)
  const used = cpuSeconds(pid) - cpu
  const work = minus(await read(), before)
  return [
    { name: 'silence: writes', value: String(work.writes), goal: '0', note: `over ${seconds(ms)}, ${work.runs} runs` },
    { name: 'silence: CPU', value: `${((used / (ms / 1000)) * 100).toFixed(1)} %`, goal: 'near 0' },
  ]
}

const written = ({ writesOf }: Counters): string =>
  [...writesOf]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 6)
    .map(([what, n]) => `${what} ${n}`)
    .join(', ')
