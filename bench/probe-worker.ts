import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { Connection, type Target } from '#test/support/connection.ts'

/** A polite client beside the load: reads and small creates, one at a time, and how long each of them took. */
const port = parentPort
if (port === null) throw new Error('this is a worker')
const connection = new Connection(workerData as Target)
await connection.open()
// No planner reads Events: the probe must not make work of its own.
const base = '/api/v1/namespaces/probe/events'
const PAUSE_MS = 4
let times = { reads: [] as number[], writes: [] as number[] }
let running = true
port.on('message', (message: string) => {
  if (message === 'stop') running = false
  port.postMessage(times)
  times = { reads: [], writes: [] }
})

const draft = (i: number): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `p-${i}`, namespace: 'probe' },
    involvedObject: { kind: 'Namespace', name: 'probe', namespace: 'probe' },
    reason: 'Probe',
    message: 'A small object',
  })

for (let i = 0; running; i++) {
  const began = performance.now()
  const answer = await (i % 4 === 0
    ? connection.request('POST', base, draft(i))
    : connection.request('GET', `${base}/p-${i - (i % 4)}`))
  times[i % 4 === 0 ? 'writes' : 'reads'].push(performance.now() - began)
  if (answer.status >= 300) throw new Error(`probe: HTTP ${answer.status} ${answer.body.toString()}`)
  await sleep(PAUSE_MS)
}
connection.close()
