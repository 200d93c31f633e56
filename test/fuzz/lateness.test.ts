import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { ownLateness, readLateness } from './lateness.ts'

const TURN = { at: '', late: 200, cpu: 0, waited: 0, others: 0, othersWaited: 0 }

describe('the lateness of an event loop is the server’s own', () => {
  it('when it computed, whatever else happened', () => {
    assert.equal(ownLateness({ ...TURN, cpu: 200 }), 200)
    assert.equal(ownLateness({ ...TURN, cpu: 150, waited: 90 }), 150)
  })

  it('when it waited for a disk, a pipe or a lock', () => {
    assert.equal(ownLateness(TURN), 200)
    assert.equal(ownLateness({ ...TURN, cpu: 20, waited: 30 }), 170)
  })

  it('when it waited for another thread of its own', () => {
    assert.equal(ownLateness({ ...TURN, waited: 200, others: 200 }), 200)
  })

  it('but not while other processes ran instead of it or of a thread it waits for', () => {
    assert.equal(ownLateness({ ...TURN, cpu: 10, waited: 190 }), 10)
    assert.equal(ownLateness({ ...TURN, cpu: 10, waited: 190, others: 60 }), 70)
    assert.equal(ownLateness({ ...TURN, cpu: 10, othersWaited: 150 }), 50)
  })
})

function latenessOf(t: TestContext, block: string): number {
  const directory = mkdtempSync(join(tmpdir(), 'stellwerk-lateness-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'turns')
  const code = `setTimeout(() => { ${block} }, 100); setTimeout(() => undefined, 200)`
  const { status, stderr } = spawnSync(
    process.execPath,
    [`--import=${new URL('lateness-probe.ts', import.meta.url).href}`, '--eval', code, 'serve'],
    { env: { ...process.env, STELLWERK_LATENESS: file }, encoding: 'utf8' },
  )
  assert.equal(status, 0, stderr)
  return readLateness(file).own
}

describe('the probe sees an event loop', { skip: process.platform !== 'linux' }, () => {
  const spin = 'const { user } = process.threadCpuUsage(); while (process.threadCpuUsage().user - user < 300_000);'

  it('that computes', (t) => assert.ok(latenessOf(t, spin) >= 250))

  it('that sleeps', (t) =>
    assert.ok(latenessOf(t, 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)') >= 200))

  it('that is never late', (t) => assert.ok(latenessOf(t, '') < 200))
})
