import { cpuSeconds } from './child.ts'
import type { Subject } from './dialect.ts'
import type { Result } from './drive.ts'
import { medianTurn } from './report.ts'
import { alternate, type Row, type Run } from './turns.ts'
import { startWatchers } from './watchers.ts'

interface Pace {
  readonly watchers: number
  readonly writes: number
  /** Writes per second by one writer; undefined: as fast as all connections can. */
  readonly rate: number | undefined
}

/** About as many deliveries for each number of watchers, so that none takes long. */
function paces(watchers: number, objects: number): readonly Pace[] {
  const few = watchers <= 100
  return [
    { watchers, writes: Math.min(few ? 150 : 40, objects), rate: few ? 100 : 20 },
    { watchers, writes: Math.min(few ? 1000 : 200, objects), rate: undefined },
  ]
}

/** Writes to many watchers, paced and in a burst: events delivered, send to receive, server CPU per delivered event. */
export async function watchPhases(run: Run, patches: Row | undefined): Promise<readonly Row[]> {
  const rows: Row[] = []
  let round = 10
  for (const pace of run.size.watchers.flatMap((watchers) => paces(watchers, run.size.objects))) {
    const name = `watch, ${pace.watchers} watchers, ${pace.rate === undefined ? 'burst' : `${pace.rate} writes/s`}`
    const turns = await alternate(run, name, (subject) => deliver(subject, pace, round++))
    rows.push({ name, turns, note: pace.rate === undefined ? fanOut(turns, patches, pace) : undefined })
  }
  return rows
}

/** What is left per event when the writes themselves are taken off. */
function fanOut(turns: Row['turns'], patches: Row | undefined, { watchers }: Pace): string | undefined {
  const event = medianTurn(turns.get('stellwerk') ?? [])
  const write = medianTurn(patches?.turns.get('stellwerk') ?? [])
  if (event === undefined || write === undefined) return undefined
  const us = (event.cpuMsPerOp - write.cpuMsPerOp / watchers) * 1000
  return `${us.toFixed(1)} us per event without the writes`
}

async function deliver(subject: Subject, { watchers: count, writes, rate }: Pace, round: number): Promise<Result> {
  const { server, connections, dialect } = subject
  const watchers = await startWatchers(server.target, await dialect.watch(connections[0]!), count)
  try {
    const cpu = cpuSeconds(server.pid)
    const start = performance.now()
    const sent: number[] = []
    const patch = dialect.patch(round)
    const write = async (c: Subject['connections'][number], i: number): Promise<void> => {
      sent.push(performance.now())
      const { status, body } = await patch(c, i, 0)
      if (status >= 300) throw new Error(`HTTP ${status}: ${body.toString().slice(0, 300)}`)
    }
    const seen = watchers.seen(writes)
    if (rate === undefined) await burst(connections, writes, write)
    else await paced(connections[0]!, writes, rate, write)
    const arrivals = await seen
    const seconds = (performance.now() - start) / 1000
    const cpuMsPerOp = ((cpuSeconds(server.pid) - cpu) * 1000) / (writes * count)
    return { perSecond: (writes * count) / seconds, ...quantiles(arrivals, sent), cpuMsPerOp }
  } finally {
    watchers.close()
  }
}

type Write = (connection: Subject['connections'][number], i: number) => Promise<void>

async function burst(connections: Subject['connections'], writes: number, write: Write): Promise<void> {
  let next = 0
  await Promise.all(
    connections.map(async (connection) => {
      for (let i = next++; i < writes; i = next++) await write(connection, i)
    }),
  )
}

async function paced(
  connection: Subject['connections'][number],
  writes: number,
  rate: number,
  write: Write,
): Promise<void> {
  const start = performance.now()
  for (let i = 0; i < writes; i++) {
    const wait = start + (i * 1000) / rate - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    await write(connection, i)
  }
}

/** The n-th event belongs to the n-th write, give or take the writes that were under way together. */
function quantiles(arrivals: readonly (readonly number[])[], sent: readonly number[]): Pick<Result, 'p50' | 'p99'> {
  const delays = Float64Array.from(arrivals.flatMap((times) => sent.map((at, i) => (times[i] ?? at) - at))).toSorted()
  const quantile = (q: number): number => delays[Math.floor(delays.length * q)] ?? 0
  return { p50: quantile(0.5), p99: quantile(0.99) }
}
