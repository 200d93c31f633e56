import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '#test/support/connection.ts'

/** What the engine has done so far, as /metrics tells it. */
export interface Counters {
  readonly runs: number
  readonly writes: number
  /** By `Kind verb`. */
  readonly writesOf: ReadonlyMap<string, number>
  readonly runsOf: ReadonlyMap<string, number>
  readonly requeuesOf: ReadonlyMap<string, number>
  readonly depth: number
}

const NAMES = ['writes_total', 'run_duration_seconds', 'requeues_total', 'queue_depth']
/** Only these: to answer with everything takes milliseconds, and whoever is measured beside it would wait for them. */
const PATH = `/metrics?${NAMES.map((name) => `name[]=stellwerk_control_${name}`).join('&')}`
const LINE = /^stellwerk_control_(\w+?)(?:\{(.*)\})? (\S+)$/gm

export async function readCounters(connection: Connection): Promise<Counters> {
  const { status, body } = await connection.request('GET', PATH)
  if (status !== 200) throw new Error(`/metrics answers ${status}`)
  const found = { writes_total: new Map(), run_duration_seconds_count: new Map(), requeues_total: new Map() }
  let depth = 0
  for (const [, name = '', labels = '', value = ''] of body.toString().matchAll(LINE)) {
    if (name === 'queue_depth') depth = Number(value)
    const table: Map<string, number> | undefined = found[name as keyof typeof found]
    table?.set([...labels.matchAll(/"([^"]*)"/g)].map((match) => match[1]).join(' '), Number(value))
  }
  return {
    runs: sum(found.run_duration_seconds_count),
    writes: sum(found.writes_total),
    writesOf: found.writes_total,
    runsOf: found.run_duration_seconds_count,
    requeuesOf: found.requeues_total,
    depth,
  }
}

const sum = (table: ReadonlyMap<string, number>): number => [...table.values()].reduce((a, b) => a + b, 0)

export const minus = (now: Counters, before: Counters): Counters => ({
  runs: now.runs - before.runs,
  writes: now.writes - before.writes,
  writesOf: difference(now.writesOf, before.writesOf),
  runsOf: difference(now.runsOf, before.runsOf),
  requeuesOf: difference(now.requeuesOf, before.requeuesOf),
  depth: now.depth,
})

const difference = (now: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): Map<string, number> =>
  new Map([...now].map(([key, n]): [string, number] => [key, n - (before.get(key) ?? 0)]).filter(([, n]) => n !== 0))

const POLL_MS = 60
const QUIET_MS = 800

/** When the engine did its last visible work: nothing is queued, and nothing happened for a moment after it. */
export async function lastWork(connection: Connection): Promise<{ readonly at: number; readonly counters: Counters }> {
  let counters = await readCounters(connection)
  let at = performance.now()
  while (performance.now() - at < QUIET_MS) {
    await sleep(POLL_MS)
    const now = await readCounters(connection)
    if (now.depth > 0 || now.runs !== counters.runs || now.writes !== counters.writes) at = performance.now()
    counters = now
  }
  return { at, counters }
}
