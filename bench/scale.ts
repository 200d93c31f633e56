import { readFileSync } from 'node:fs'
import { cpuSeconds, residentBytes, startStellwerk, type Stellwerk } from './child.ts'
import { drive, openAll, type Result } from './drive.ts'
import { kubernetes } from './kubernetes.ts'
import { table } from './report.ts'
import type { Connection } from '#test/support/connection.ts'

const RESTARTS = 11

interface Fact {
  readonly name: string
  readonly value: string
  readonly note?: string
}

const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`
const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Many objects on our own server: memory, lists, and how soon it is back after kill -9. */
export async function benchScale(objects: number, clients: number, log: (text: string) => void): Promise<void> {
  const first = await startStellwerk()
  let server = first
  try {
    const empty = residentBytes(server.pid)
    const facts = [...(await fill(server, { objects, clients, log }))]
    log(`${RESTARTS} times kill -9`)
    const restarts: Restart[] = []
    for (let i = 0; i < RESTARTS; i++) {
      const restart = await killAndRestart(server)
      server = restart.server
      restarts.push(restart)
    }
    facts.push(...restartFacts(restarts, residentBytes(server.pid), (residentBytes(server.pid) - empty) / objects))
    const lines = facts.map(({ name, value, note }) => [name, value, note ?? ''])
    process.stdout.write(`\n${table([`${objects} objects`, 'value', 'note'], lines)}\n`)
  } finally {
    await server.stop()
  }
}

interface Filling {
  readonly objects: number
  readonly clients: number
  readonly log: (text: string) => void
}

async function fill(server: Stellwerk, { objects, clients, log }: Filling): Promise<readonly Fact[]> {
  const dialect = kubernetes('bench')
  const connections = await openAll(server.target, clients)
  const empty = residentBytes(server.pid)
  log(`creating ${objects} objects`)
  const created = await drive(server, connections, objects, dialect.create)
  const full = residentBytes(server.pid)
  log('listing')
  const one = connections.slice(0, 1)
  const beside = [await whileListing(server, connections, 1), await whileListing(server, connections, 10)]
  const list = await drive(server, one, 3, dialect.list)
  const paged = await drive(server, one, 3, dialect.listPaged)
  const nothing = await drive(server, one, 3, dialect.listNothing!)
  connections.forEach((c) => c.close())
  const bytes = (await stored(server)) / objects
  const describe = (r: Result): Pick<Fact, 'value' | 'note'> => ({
    value: ms(r.p50),
    note: `${ms(r.cpuMsPerOp)} server CPU`,
  })
  return [
    { name: 'memory when empty', value: mib(empty) },
    {
      name: 'memory with all objects',
      value: mib(full),
      note: `after creating them at ${Math.round(created.perSecond)}/s`,
    },
    {
      name: 'resident per object',
      value: `${Math.round((full - empty) / objects)} B`,
      note: `${Math.round(bytes)} B encoded`,
    },
    { name: 'list all', ...describe(list) },
    { name: 'list in pages of 500', ...describe(paged) },
    { name: 'list, selector without a match', ...describe(nothing) },
    ...beside,
    { name: 'memory after the lists', value: mib(residentBytes(server.pid)) },
  ]
}

/** What lists of everything do to others: the memory they take at most, and how long a get of one object waits meanwhile. */
async function whileListing(server: Stellwerk, connections: readonly Connection[], lists: number): Promise<Fact> {
  const dialect = kubernetes('bench')
  const [reader, ...listers] = connections
  const before = residentBytes(server.pid)
  let most = before
  let isListing = true
  const listing = Promise.all(listers.slice(0, lists).map((c) => dialect.list(c, 0, 0))).then(() => (isListing = false))
  const waits: number[] = []
  while (isListing) {
    const began = performance.now()
    await dialect.get(reader!, 0, 0)
    waits.push(performance.now() - began)
    most = Math.max(most, residentBytes(server.pid))
  }
  await listing
  const sorted = waits.toSorted((a, b) => a - b)
  return {
    name: lists === 1 ? 'memory while one lists all' : `memory while ${lists} list all`,
    value: `+${mib(most - before)}`,
    note: `a get beside it: p50 ${ms(median(sorted))}, p99 ${ms(sorted[Math.floor(sorted.length * 0.99)] ?? 0)} of ${sorted.length}`,
  }
}

/** Bytes of all objects, as a list shows them. */
async function stored(server: Stellwerk): Promise<number> {
  const [connection] = await openAll(server.target, 1)
  const { body } = await kubernetes('bench').list(connection!, 0, 0)
  connection?.close()
  return body.length
}

interface Restart {
  readonly server: Stellwerk
  readonly readyMs: number
  readonly readyCpuMs: number
  readonly firstWriteMs: number
  /** Cores that other processes kept busy meanwhile: a start beside them is not a start alone. */
  readonly others: number
}

/** CPU milliseconds of the whole machine so far. */
function machineMs(): number {
  const [user, nice, system, , , irq, softIrq] = readFileSync('/proc/stat', 'utf8').match(/\d+/g)!.map(Number)
  return (user! + nice! + system! + irq! + softIrq!) * 10
}

async function killAndRestart(old: Stellwerk): Promise<Restart> {
  await old.kill()
  const busy = machineMs()
  const start = performance.now()
  const server = await startStellwerk({ data: old.data })
  const readyMs = performance.now() - start
  const readyCpuMs = cpuSeconds(server.pid) * 1000
  const others = Math.max(0, machineMs() - busy - readyCpuMs) / readyMs
  const [connection] = await openAll(server.target, 1)
  const began = performance.now()
  const { status } = await kubernetes('bench').patch(Math.round(start))(connection!, 0, 0)
  if (status !== 200) throw new Error(`the first write answered ${status}`)
  const firstWriteMs = performance.now() - began
  connection?.close()
  return { server, readyMs, readyCpuMs, firstWriteMs, others }
}

function restartFacts(restarts: readonly Restart[], resident: number, perObject: number): readonly Fact[] {
  const spread = (of: (r: Restart) => number): string => restarts.map((r) => Math.round(of(r))).join(', ')
  const cpu = ms(median(restarts.map((r) => r.readyCpuMs)))
  const others = median(restarts.map((r) => r.others)).toFixed(1)
  return [
    {
      name: 'ready after kill -9',
      value: ms(median(restarts.map((r) => r.readyMs))),
      note: `from the start of the process; ${cpu} CPU, others ${others} cores; each: ${spread((r) => r.readyMs)}`,
    },
    {
      name: 'first write after it',
      value: ms(median(restarts.map((r) => r.firstWriteMs))),
      note: `each: ${spread((r) => r.firstWriteMs)}`,
    },
    { name: 'memory after the restart', value: mib(resident), note: `${Math.round(perObject)} B per object` },
  ]
}
