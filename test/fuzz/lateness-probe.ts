/**
 * Loaded into the server ahead of it: notes each time its event loop was late, and what became of that time. Lateness alone
 * says nothing on a machine that others use as well: a thread that wants to run and may not is as late as one that is busy.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { type LateTurn, NOTED_MS, TICK_MS } from './lateness.ts'

const file = process.env.STELLWERK_LATENESS
if (isMainThread && file !== undefined && process.argv.includes('serve')) watch(file)

interface Reading {
  readonly at: number
  /** Milliseconds of CPU of this thread and of the whole process. */
  readonly thread: number
  readonly process: number
  /** By thread, milliseconds that it was ready to run and did not, because others ran. */
  readonly waited: ReadonlyMap<string, number>
}

const MAIN = String(process.pid)

function watch(path: string): void {
  let before = look()
  setInterval(() => {
    const now = look()
    const late = now.at - before.at - TICK_MS
    if (late > NOTED_MS) appendFileSync(path, `${JSON.stringify(turnOf(before, now, late))}\n`)
    before = now
  }, TICK_MS).unref()
}

function look(): Reading {
  const own = process.threadCpuUsage()
  const all = process.cpuUsage()
  return {
    at: performance.now(),
    thread: (own.user + own.system) / 1000,
    process: (all.user + all.system) / 1000,
    waited: waitedMs(),
  }
}

/** The second number of each; where the kernel does not count it, all lateness is ours. */
function waitedMs(): ReadonlyMap<string, number> {
  try {
    return new Map(
      readdirSync('/proc/self/task').map((id) => {
        const [, waited] = readFileSync(`/proc/self/task/${id}/schedstat`, 'utf8').split(' ')
        return [id, Number(waited) / 1e6]
      }),
    )
  } catch {
    return new Map()
  }
}

function turnOf(before: Reading, now: Reading, late: number): LateTurn {
  const cpu = now.thread - before.thread
  const grown = [...now.waited].map(([id, ms]) => ({ id, ms: ms - (before.waited.get(id) ?? ms) }))
  return {
    at: new Date().toISOString(),
    late,
    cpu,
    waited: grown.find(({ id }) => id === MAIN)?.ms ?? 0,
    others: Math.max(0, now.process - before.process - cpu),
    othersWaited: Math.max(0, ...grown.filter(({ id }) => id !== MAIN).map(({ ms }) => ms)),
  }
}
