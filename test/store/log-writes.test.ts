import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '#lib/clock.ts'
import { SILENT } from '#lib/silent-log.ts'
import { logWrites } from '#store/log-writes.ts'

const full = { name: 'Error', message: 'database or disk is full', code: 'ENOSPC' }

function setUp() {
  const lines: string[] = []
  const clock = new ManualClock()
  const log = {
    ...SILENT,
    warn: (message: string, fields?: object) => lines.push(`warn ${message} ${JSON.stringify(fields)}`),
    info: (message: string, fields?: object) => lines.push(`info ${message} ${JSON.stringify(fields)}`),
  }
  return { lines, clock, writes: logWrites(log, clock) }
}

test('one line when writes are refused, with the reason, and one when they work again', () => {
  const { lines, clock, writes } = setUp()
  for (let i = 0; i < 3; i++) writes.told(full)
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /^warn the store refuses writes.*"ENOSPC".*disk is full/)
  writes.told(undefined)
  clock.advance(2000)
  assert.equal(lines.length, 2)
  assert.match(lines[1] ?? '', /^info the store takes writes again .*"refused":3/)
  writes.told(full)
  assert.equal(lines.length, 3, 'the next time is told again')
})

test('writes that succeed between others that do not are no end', () => {
  const { lines, clock, writes } = setUp()
  for (let i = 0; i < 10; i++) {
    writes.told(full)
    clock.advance(500)
    writes.told(undefined)
    clock.advance(1500)
  }
  assert.equal(lines.length, 1)
  writes.close()
  assert.equal(clock.pending, 0)
})
