import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { staticWorld } from '#control/world.ts'
import { dueReminder, dueReminders } from '#domain/plan/reminder.ts'
import type { World } from '#domain/plan/world.ts'
import { always } from '#test/support/property.ts'

const DEADLINE = '2026-12-31T00:00:00Z'
const WEEKLY_THEN_DAILY = [
  { before: '30d', repeat: '7d' },
  { before: '7d', repeat: '1d' },
]
const at = (now: string) => dueReminder(staticWorld([], { now }), DEADLINE, WEEKLY_THEN_DAILY)

test('nothing is due before the widest threshold', () => {
  assert.equal(at('2026-11-30T23:59:59Z'), undefined)
})

test('the first reminder comes with the threshold and repeats on its grid', () => {
  assert.deepEqual(at('2026-12-01T00:00:00Z'), { threshold: '30d', at: '2026-12-01T00:00:00Z' })
  assert.deepEqual(at('2026-12-07T23:59:59Z'), { threshold: '30d', at: '2026-12-01T00:00:00Z' })
  assert.deepEqual(at('2026-12-08T00:00:00Z'), { threshold: '30d', at: '2026-12-08T00:00:00Z' })
})

test('a closer threshold takes over', () => {
  assert.deepEqual(at('2026-12-23T23:59:59Z'), { threshold: '30d', at: '2026-12-22T00:00:00Z' })
  assert.deepEqual(at('2026-12-24T00:00:00Z'), { threshold: '7d', at: '2026-12-24T00:00:00Z' })
})

test('after a long silence only the latest moment counts', () => {
  assert.deepEqual(at('2026-12-29T10:00:00Z'), { threshold: '7d', at: '2026-12-29T00:00:00Z' })
  const all = dueReminders(staticWorld([], { now: '2026-12-29T10:00:00Z' }), DEADLINE, WEEKLY_THEN_DAILY)
  assert.deepEqual(
    all.map((r) => r.at),
    ['2026-12-22T00:00:00Z', '2026-12-29T00:00:00Z'],
  )
})

test('the deadline itself is no reminder, and after it the last one stands', () => {
  assert.deepEqual(at('2027-06-01T00:00:00Z'), { threshold: '7d', at: '2026-12-30T00:00:00Z' })
})

test('a threshold without repetition reminds once; twins and the order of thresholds change nothing', () => {
  const world = staticWorld([], { now: '2026-12-28T00:00:00Z' })
  assert.deepEqual(dueReminder(world, DEADLINE, [{ before: '7d' }]), { threshold: '7d', at: '2026-12-24T00:00:00Z' })
  const twice = [...WEEKLY_THEN_DAILY, ...WEEKLY_THEN_DAILY]
  assert.deepEqual(dueReminders(world, DEADLINE, twice.toReversed()), dueReminders(world, DEADLINE, WEEKLY_THEN_DAILY))
})

test('a schedule of millions is searched, not walked', () => {
  let reads = 0
  const world = { reached: (time: string) => (reads++, time <= '2026-12-20T12:34:56Z') } as unknown as World
  assert.deepEqual(dueReminder(world, DEADLINE, [{ before: '30d', repeat: '1s' }]), {
    threshold: '30d',
    at: '2026-12-20T12:34:56Z',
  })
  assert.ok(reads < 30, `${reads} reads`)
})

test('the moment never lies in the future, and the next one is asked for', () => {
  always(
    fc.property(fc.integer({ min: 0, max: 60 * 86_400 }), fc.integer({ min: 1, max: 40 }), (seconds, repeat) => {
      const now = new Date(Date.parse('2026-11-15T00:00:00Z') + seconds * 1000).toISOString()
      const asked: string[] = []
      const real = staticWorld([], { now })
      const world = { reached: (t: string) => (real.reached(t) || asked.push(t), real.reached(t)) } as unknown as World
      const due = dueReminder(world, DEADLINE, [{ before: '30d', repeat: `${repeat}h` }])
      if (due !== undefined) assert.ok(Date.parse(due.at) <= Date.parse(now))
      const next = Date.parse(due?.at ?? '2026-12-01T00:00:00Z') + (due === undefined ? 0 : repeat * 3_600_000)
      if (next < Date.parse(DEADLINE))
        assert.ok(
          asked.some((t) => Date.parse(t) === next),
          'no wake-up for the next one',
        )
    }),
    { numRuns: 300 },
  )
})
