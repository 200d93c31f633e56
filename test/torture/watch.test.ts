import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { Target } from '#test/support/connection.ts'
import { progress } from '#test/support/progress.ts'
import { scratch, startChild } from './child.ts'
import { BASE, connect, counterObject, listCounters, Writer } from './counters.ts'
import { exists } from './script.ts'
import { ScriptWatcher } from './script-watcher.ts'
import { ScriptWriter } from './script-writer.ts'
import { CountingWatcher } from './watcher.ts'

/** At least so many events and forced disconnects, among so many watchers, a quarter of them with a selector. */
const EVENTS = Number(process.env.STELLWERK_EVENTS ?? 50_000)
const DISCONNECTS = Number(process.env.STELLWERK_DISCONNECTS ?? 250)
const WATCHERS = Number(process.env.STELLWERK_WATCHERS ?? 12)
const WRITERS = 8
/** So many lose their connection at the same time. */
const LANES = 4

test('watchers that keep reconnecting see every transition once, in order, and end with the final state', async (t) => {
  const { target } = await startChild(scratch(t, 'watch'))
  const { revision } = await listCounters(target)
  const watchers = Array.from({ length: WATCHERS }, (_, i) =>
    i % 4 === 3 ? new ScriptWatcher(revision, `w-${(i >> 2) % WRITERS}`) : new ScriptWatcher(revision),
  )
  await Promise.all(watchers.map((w) => w.connect(target)))
  const writers = Array.from({ length: WRITERS }, (_, i) => new ScriptWriter(`w-${i}`))
  let disconnects = 0
  const events = (): number => watchers.reduce((n, w) => n + w.events, 0)
  const done = (): boolean => disconnects >= DISCONNECTS && events() >= EVENTS
  const tell = (): void =>
    progress(`watch: ${events()} of ${EVENTS} events, ${disconnects} of ${DISCONNECTS} disconnects`)
  const disconnect = async (lane: number): Promise<void> => {
    for (let i = lane; !done(); i = (i + LANES) % WATCHERS) {
      await watchers[i]?.connect(target)
      disconnects++
      tell()
      if (disconnects >= DISCONNECTS) await setTimeout(10)
    }
  }
  const lanes = Array.from({ length: LANES }, (_, lane) => disconnect(lane))
  await Promise.all([...lanes, ...writers.map((w) => w.run(target, done))])
  const counts = new Map(writers.map(({ name, count }) => [name, count]))
  await Promise.all(watchers.map((w) => w.caughtUp(counts)))
  watchers.forEach((w) => w.close())
  const end = await listCounters(target)
  const left = writers.filter(({ count }) => exists(count)).map(({ name, count }) => [name, count])
  assert.deepEqual(
    [...end.counters.values()].map(({ name, count }) => [name, count]),
    left,
  )
  const writes = writers.reduce((n, { count }) => n + count, 0)
  t.diagnostic(`${events()} events to ${WATCHERS} watchers, ${disconnects} forced disconnects, ${writes} writes`)
})

/** So much for each of them that neither the system's buffers nor our own can take it. */
const STALLED = 40
const STALLED_EVENTS = 6000
const EVENT_BYTES = 5000

test('watchers that never read are cut off: they neither grow the server nor hold up the others', async (t) => {
  const child = await startChild(scratch(t, 'stalled'))
  const start = await listCounters(child.target)
  const stalled = await Promise.all(Array.from({ length: STALLED }, () => stall(child.target, start.revision)))
  t.after(() => stalled.forEach((socket) => socket.destroy()))
  const reader = new CountingWatcher(start.revision)
  await reader.connect(child.target)
  assert.equal(await watchesUnderWay(child.target), STALLED + 1)
  const before = residentMegabytes(child.pid)
  const writers = Array.from({ length: WRITERS }, (_, i) => new Writer(`w-${i}`, EVENT_BYTES))
  let left = STALLED_EVENTS
  await Promise.all(writers.map((w) => w.run(child.target, () => left-- <= 0)))
  const end = await listCounters(child.target)
  await reader.caughtUp(end.counters)
  const grown = residentMegabytes(child.pid) - before
  assert.equal(await watchesUnderWay(child.target), 1, 'only the one that reads is left')
  reader.close()
  // A third of what it would take to keep the events for each of them: far more than the writes themselves need.
  const limit = (STALLED * STALLED_EVENTS * EVENT_BYTES) / 2 ** 20 / 3
  assert.ok(grown < limit, `resident memory grew by ${grown} MB`)
  const connection = await connect(child.target)
  assert.equal((await connection.request('POST', BASE, counterObject('still-there', 1))).status, 201)
  connection.close()
  t.diagnostic(`grown by ${grown} MB, allowed are ${Math.round(limit)} MB`)
})

async function watchesUnderWay(target: Target): Promise<number> {
  const connection = await connect(target)
  const { body } = await connection.request('GET', '/metrics')
  connection.close()
  return Number(/stellwerk_apiserver_in_flight\{lane="watches"\} (\d+)/.exec(body.toString())?.[1])
}

/** Opens a watch and never reads a byte of it. */
function stall(target: Target, revision: number): Promise<ReturnType<typeof connectTls>> {
  const url = new URL(target.url)
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: url.hostname, port: Number(url.port), ca: target.ca }, () => {
      const path = `${BASE}?watch=true&resourceVersion=${revision}`
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${target.token}\r\n\r\n`)
    })
    // The head of the answer proves that the watch is on; not one byte is read after it.
    socket.once('readable', () => resolve(socket))
    socket.on('error', reject)
  })
}

function residentMegabytes(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)
}
