import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '#lib/clock.ts'
import { Reminders } from '#registry/reminders.ts'

function setUp() {
  const clock = new ManualClock(0)
  const reminded: string[] = []
  return { clock, reminded, reminders: new Reminders(clock, (key) => void reminded.push(key)) }
}

test('it is time once, a moment after somebody began to wait, and once more a moment after that', () => {
  const { clock, reminded, reminders } = setUp()
  for (let round = 1; round <= 2; round++) {
    assert.deepEqual([reminders.isTime('a'), reminders.isTime('a')], [false, false])
    clock.advance(999)
    assert.equal(reminded.length, round - 1)
    clock.advance(1)
    assert.equal(reminded.length, round)
    assert.equal(reminders.isTime('a'), true)
  }
})

test('of what waits no longer nobody is reminded, and whoever comes next under its name begins to wait anew', () => {
  const { clock, reminded, reminders } = setUp()
  reminders.isTime('a')
  reminders.drop('a')
  clock.advance(5000)
  assert.deepEqual(reminded, [])
  reminders.isTime('a')
  clock.advance(1000)
  reminders.drop('a')
  assert.equal(reminders.isTime('a'), false)
})
