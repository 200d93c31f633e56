import { Connection, type Target } from '#test/support/connection.ts'
import type { WatchCall } from './dialect.ts'

/** Many watches on one collection that count the events they are sent, without parsing them. */
export interface Watchers {
  /** Resolves when every watcher has seen `count` events since `start`; gives each arrival time by event. */
  seen(count: number): Promise<readonly (readonly number[])[]>
  close(): void
}

export async function startWatchers(target: Target, call: WatchCall, count: number): Promise<Watchers> {
  const marker = Buffer.from(call.marker)
  const arrivals: number[][] = Array.from({ length: count }, () => [])
  const connections = Array.from({ length: count }, () => new Connection(target))
  let check = (): void => undefined
  await Promise.all(
    connections.map(async (connection, i) => {
      await connection.open()
      const answer = await connection.stream(
        call.path,
        counter(marker, arrivals[i] ?? [], () => check()),
        call.body,
      )
      if (answer.status !== 200) throw new Error(`watch answered ${answer.status}`)
    }),
  )
  return {
    seen: (events) =>
      new Promise((resolve) => {
        let complete = 0
        check = () => {
          while (complete < count && (arrivals[complete]?.length ?? 0) >= events) complete++
          if (complete === count) resolve(arrivals)
        }
        check()
      }),
    close: () => connections.forEach((c) => c.close()),
  }
}

/** Notes the time of each event marker, also one that is split between two chunks. */
function counter(marker: Buffer, times: number[], notify: () => void): (chunk: Buffer) => void {
  let tail: Buffer = Buffer.alloc(0)
  return (chunk) => {
    const bytes = tail.length === 0 ? chunk : Buffer.concat([tail, chunk])
    const before = times.length
    let end = 0
    for (let at = bytes.indexOf(marker); at >= 0; at = bytes.indexOf(marker, end)) {
      times.push(performance.now())
      end = at + marker.length
    }
    tail = bytes.subarray(Math.max(end, bytes.length - marker.length + 1))
    if (times.length > before) notify()
  }
}
