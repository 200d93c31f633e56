import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Target } from '#test/support/connection.ts'
import { progress } from '#test/support/progress.ts'
import { needs } from '#test/support/system-parts.ts'
import { scratch, startChild } from './child.ts'
import { BASE, connect, counterObject, counterOf, listCounters, parse, type Counter } from './counters.ts'
import { CountingWatcher } from './watcher.ts'

/** Of each sort. */
const POINTS = Number(process.env['STELLWERK_DISK_FAULTS'] ?? 5)
const WRITERS = 4
const SORTS = { write: 1, sync: 2 } as const

/** The numbers that disk-faults.c counts down. */
class Faults {
  readonly path: string
  readonly #file: number

  constructor(directory: string) {
    this.path = join(directory, 'faults')
    this.#file = openSync(this.path, 'w+')
    this.set(0, 0, 0)
  }

  set(which: number, skip: number, fail: number): void {
    writeSync(this.#file, new Int32Array([which, skip, fail, 0]), 0, 16, 0)
  }

  get failed(): number {
    const numbers = new Int32Array(4)
    readSync(this.#file, numbers, 0, 16, 0)
    return numbers[3]!
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** Raises a counter of its own. A refused write is tried again: it must not have happened. */
class StubbornWriter {
  readonly name: string
  acknowledged: Counter | undefined
  refused = 0

  constructor(name: string) {
    this.name = name
  }

  async run(target: Target, stop: () => boolean, answered: () => void): Promise<void> {
    const connection = await connect(target)
    while (!stop()) {
      const body = counterObject(this.name, (this.acknowledged?.count ?? 0) + 1, this.acknowledged?.revision)
      const { status, body: answer } =
        this.acknowledged === undefined
          ? await connection.request('POST', BASE, body)
          : await connection.request('PUT', `${BASE}/${this.name}`, body)
      if (status < 300) this.acknowledged = counterOf(parse(answer))
      else this.#accept(status, answer)
      answered()
    }
    connection.close()
  }

  #accept(status: number, answer: Buffer): void {
    assert.equal(status, 503, `${this.name}: ${answer.toString()}`)
    const { kind, reason, details } = parse(answer)
    assert.equal(kind, 'Status')
    assert.equal(reason, 'ServiceUnavailable')
    assert.ok(details?.retryAfterSeconds > 0, answer.toString())
    this.refused++
  }
}

/** What makes the disk fail, as a library for the server's process. Linux only. */
function buildFaults(directory: string): string {
  const library = join(directory, 'disk-faults.so')
  const source = join(import.meta.dirname, 'disk-faults.c')
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'])
  return library
}

const POSSIBLE = process.platform === 'linux' ? needs('cc') : { skip: 'failing disks are simulated on Linux only' }

test('a disk that fails to write or to sync refuses writes, serves reads, and loses nothing', POSSIBLE, async (t) => {
  const data = scratch(t, 'disk-errors')
  const library = buildFaults(data)
  const faults = new Faults(data)
  t.after(() => faults.close())
  const server = await startChild(data, [], { LD_PRELOAD: library, DISK_FAULTS: faults.path })
  const writers = Array.from({ length: WRITERS }, (_, i) => new StubbornWriter(`w${i}`))
  let answered = Promise.withResolvers<void>()
  const wake = (): void => {
    answered.resolve()
    answered = Promise.withResolvers()
  }
  const watcher = new CountingWatcher((await listCounters(server.target)).revision)
  await watcher.connect(server.target)
  let over = false
  const running = Promise.all(writers.map((writer) => writer.run(server.target, () => over, wake)))
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await Promise.race([answered.promise, running])
  }
  await until(() => writers.every(({ acknowledged }) => acknowledged !== undefined))
  let failures = 0
  for (let point = 0; point < POINTS; point++) {
    for (const which of Object.values(SORTS)) {
      const fail = 1 + (point % 3)
      faults.set(which, point % 11, fail)
      await until(() => faults.failed === fail)
      failures += fail
      assert.equal((await listCounters(server.target)).counters.size, WRITERS, 'reads go on')
      const before = writers.map(({ acknowledged }) => acknowledged!.count)
      await until(() => writers.every(({ acknowledged }, i) => acknowledged!.count > before[i]!))
      progress(`disk errors: ${point + 1} of ${POINTS}`)
    }
  }
  over = true
  await running
  const counters = new Map(writers.map(({ acknowledged }) => [acknowledged!.name, acknowledged!]))
  assert.deepEqual((await listCounters(server.target)).counters, counters)
  await watcher.caughtUp(counters)
  watcher.close()
  const refused = writers.reduce((sum, writer) => sum + writer.refused, 0)
  assert.ok(refused > 0, 'some writes were refused')

  await server.kill('SIGKILL')
  const restarted = await startChild(data)
  assert.deepEqual((await listCounters(restarted.target)).counters, counters, 'exactly the acknowledged writes')
  await restarted.kill('SIGTERM')
  const database = new DatabaseSync(join(data, 'store.db'))
  assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
  database.close()
  const writes = [...counters.values()].reduce((sum, { count }) => sum + count, 0)
  t.diagnostic(`${failures} failed writes and syncs, ${refused} refused requests, ${writes} acknowledged ones`)
})
