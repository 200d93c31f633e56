import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import type { Target } from '#test/support/connection.ts'
import { type ChildServer, startChild } from './child.ts'
import { BASE, connect, counterObject, listCounters, Writer } from './counters.ts'
import { CountingWatcher } from './watcher.ts'

const writes = Number(process.env.STELLWERK_WRITES ?? 4000)

async function server(t: { after(fn: () => unknown): void }): Promise<ChildServer> {
  const data = mkdtempSync(join(tmpdir(), 'stellwerk-watch-'))
  const child = await startChild(data)
  t.after(() => child.kill('SIGKILL').then(() => rmSync(data, { recursive: true, force: true })))
  return child
}

test('watchers that keep reconnecting see every transition once, in order, and end with the final state', async (t) => {
  const { target } = await server(t)
  const start = await listCounters(target)
  const watchers = Array.from({ length: 10 }, () => new CountingWatcher(start.revision))
  await Promise.all(watchers.map((w) => w.connect(target)))
  const writers = Array.from({ length: 8 }, (_, i) => new Writer(`w-${i}`))
  let left = writes
  const running = Promise.all(writers.map((w) => w.run(target, () => left-- <= 0)))
  let reconnects = 0
  while (left > 0)
    for (const watcher of watchers) {
      await watcher.connect(target)
      reconnects++
    }
  await running
  const end = await listCounters(target)
  await Promise.all(watchers.map((w) => w.caughtUp(end.counters)))
  for (const watcher of watchers) {
    watcher.close()
    for (const writer of writers) assert.equal(watcher.counts.get(writer.name), writer.acknowledged?.count)
  }
  t.diagnostic(`${watchers.reduce((n, w) => n + w.events, 0)} events, ${reconnects} reconnects`)
})

test('watchers that never read neither grow the server nor hold up the others', async (t) => {
  const child = await server(t)
  const start = await listCounters(child.target)
  const stalled = await Promise.all(Array.from({ length: 20 }, () => stall(child.target, start.revision)))
  const reader = new CountingWatcher(start.revision)
  await reader.connect(child.target)
  const before = residentMegabytes(child.pid)
  const writers = Array.from({ length: 8 }, (_, i) => new Writer(`w-${i}`))
  let left = writes * 3
  await Promise.all(writers.map((w) => w.run(child.target, () => left-- <= 0)))
  const end = await listCounters(child.target)
  await reader.caughtUp(end.counters)
  const grown = residentMegabytes(child.pid) - before
  for (const socket of stalled) socket.destroy()
  reader.close()
  // 12 000 events of about 1 KB for 20 watchers would be 240 MB if they were kept for them.
  assert.ok(grown < 150, `resident memory grew by ${grown} MB`)
  const connection = await connect(child.target)
  assert.equal((await connection.request('POST', BASE, counterObject('still-there', 1))).status, 201)
  connection.close()
  t.diagnostic(`grown by ${grown} MB`)
})

/** Opens a watch and never reads a byte of it. */
function stall(target: Target, revision: number): Promise<ReturnType<typeof connectTls>> {
  const url = new URL(target.url)
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: url.hostname, port: Number(url.port), ca: target.ca }, () => {
      socket.pause()
      const path = `${BASE}?watch=true&resourceVersion=${revision}`
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer ${target.token}\r\n\r\n`)
      resolve(socket)
    })
    socket.on('error', reject)
  })
}

function residentMegabytes(pid: number): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)
}
