import { Connection, type Target } from '#test/support/connection.ts'

const MARKER = Buffer.from('{"type":"MODIFIED"')

/** Many watches on one collection that count the events they are sent, without parsing them. */
export interface Watchers {
  /** Resolves when every watcher has seen `count` events since `start`; gives each arrival time by event. */
  seen(count: number): Promise<readonly (readonly number[])[]>
  close(): void
}

export async function startWatchers(target: Target, path: string, count: number): Promise<Watchers> {
  const arrivals: number[][] = Array.from({ length: count }, () => [])
  const connections = Array.from({ length: count }, () => new Connection(target))
  let check = (): void => undefined
  await Promise.all(
    connections.map(async (connection, i) => {
      await connection.open()
      const answer = await connection.stream(
        path,
        counter(arrivals[i] ?? [], () => check()),
      )
      if (answer.status !== 200) throw new Error(`watch answered ${answer.status}`)
    }),
  )
  return {
    seen: (events) =>
      new Promise((resolve) => {
        check = () => {
          if (arrivals.every((a) => a.length >= events)) resolve(arrivals)
        }
        check()
      }),
    close: () => connections.forEach((c) => c.close()),
  }
}

/** Notes the time of each event marker, also one that is split between two chunks. */
function counter(times: number[], notify: () => void): (chunk: Buffer) => void {
  let tail: Buffer = Buffer.alloc(0)
  return (chunk) => {
    const bytes = tail.length === 0 ? chunk : Buffer.concat([tail, chunk])
    const before = times.length
    let end = 0
    for (let at = bytes.indexOf(MARKER); at >= 0; at = bytes.indexOf(MARKER, end)) {
      times.push(performance.now())
      end = at + MARKER.length
    }
    tail = bytes.subarray(Math.max(end, bytes.length - MARKER.length + 1))
    if (times.length > before) notify()
  }
}
