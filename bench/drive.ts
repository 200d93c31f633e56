import { Connection, type Answer, type Target } from '#test/support/connection.ts'
import { cpuSeconds, type Measured } from './child.ts'

/** What a phase showed. Times in milliseconds, CPU is the server's. */
export interface Result {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly cpuMsPerOp: number
}

export type Operation = (connection: Connection, i: number, client: number) => Promise<Answer>

export async function openAll(target: Target, count: number): Promise<readonly Connection[]> {
  const connections = Array.from({ length: count }, () => new Connection(target))
  await Promise.all(connections.map((c) => c.open()))
  return connections
}

/** Runs `total` operations, one at a time per connection, and refuses to report a phase with a failed one. */
export async function drive(
  server: Measured,
  connections: readonly Connection[],
  total: number,
  operation: Operation,
): Promise<Result> {
  const times = new Float64Array(total)
  const cpu = cpuSeconds(server.pid)
  const start = performance.now()
  let next = 0
  await Promise.all(
    connections.map(async (connection, client) => {
      for (let i = next++; i < total; i = next++) {
        const began = performance.now()
        const answer = await operation(connection, i, client)
        times[i] = performance.now() - began
        if (answer.status >= 300) throw new Error(`HTTP ${answer.status}: ${answer.body.toString().slice(0, 300)}`)
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  const sorted = times.toSorted()
  const quantile = (q: number): number => sorted[Math.min(total - 1, Math.floor(total * q))] ?? 0
  return {
    perSecond: total / seconds,
    p50: quantile(0.5),
    p99: quantile(0.99),
    cpuMsPerOp: ((cpuSeconds(server.pid) - cpu) * 1000) / total,
  }
}
