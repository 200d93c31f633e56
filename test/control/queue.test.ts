import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Queue } from '#control/queue.ts'
import type { Cause } from '#control/tracker.ts'
import { ManualClock } from '#lib/clock.ts'

const URGENT: Cause = { type: 'created' }
const PATIENT: Cause = { type: 'start' }

function open(): Queue {
  return new Queue({ clock: new ManualClock(0), random: () => 0, wake: () => undefined })
}

/** Takes up to `n`, ends each run at once, and returns the keys in the order they were taken. */
function takeAll(queue: Queue, n = Infinity): readonly string[] {
  const taken: string[] = []
  while (taken.length < n) {
    const next = queue.take()
    if (next === undefined) return taken
    taken.push(next.key)
    queue.done(next.key)
  }
  return taken
}

const fill = (queue: Queue, prefix: string, n: number, cause: Cause): readonly string[] => {
  const keys = Array.from({ length: n }, (_, i) => `${prefix}${i}`)
  for (const key of keys) queue.add(key, cause)
  return keys
}

test('what finishes something runs before what begins something, each in the order it came', () => {
  const queue = open()
  const patient = fill(queue, 'p', 3, PATIENT)
  const urgent = fill(queue, 'u', 3, URGENT)
  const [first, ...rest] = takeAll(queue)
  // The very first turn is one in which something is begun.
  assert.equal(first, patient[0])
  assert.deepEqual(rest, [...urgent, ...patient.slice(1)])
})

for (const cause of [
  { type: 'start' },
  { type: 'idle' },
  { type: 'read', wide: true },
] as const satisfies readonly Cause[])
  test(`${cause.type}${'wide' in cause ? ' of many readers' : ''} begins something`, () => {
    const queue = open()
    queue.add('other', URGENT)
    takeAll(queue)
    queue.add('patient', cause)
    queue.add('urgent', { type: 'read' })
    assert.deepEqual(takeAll(queue), ['urgent', 'patient'])
  })

test('new children run before what waits for them', () => {
  const queue = open()
  queue.add('first', URGENT)
  takeAll(queue)
  queue.add('owner', { type: 'child' })
  queue.add('child', { type: 'created' })
  queue.add('batch', { type: 'created', wide: true })
  assert.deepEqual(takeAll(queue), ['child', 'owner', 'batch'])
})

test('every 32nd turn begins something, however much there is to finish', () => {
  const queue = open()
  const patient = fill(queue, 'p', 4, PATIENT)
  fill(queue, 'u', 200, URGENT)
  const turns = takeAll(queue, 97).flatMap((key, turn) => (patient.includes(key) ? [[key, turn]] : []))
  assert.deepEqual(turns, [
    ['p0', 0],
    ['p1', 32],
    ['p2', 64],
    ['p3', 96],
  ])
})

test('a turn of the patient is not lost when nobody is patient, nor the other way round', () => {
  const queue = open()
  assert.deepEqual(takeAll(queue, 0), [])
  const urgent = fill(queue, 'u', 70, URGENT)
  assert.deepEqual(takeAll(queue), urgent)
  const patient = fill(queue, 'p', 70, PATIENT)
  assert.deepEqual(takeAll(queue), patient)
})

test('a key that waits is not queued twice, and stays in the lane it came to', () => {
  const queue = open()
  queue.add('first', URGENT)
  takeAll(queue)
  queue.add('p', PATIENT)
  queue.add('u', URGENT)
  queue.add('p', URGENT)
  assert.equal(queue.depth, 2)
  assert.deepEqual(takeAll(queue), ['u', 'p'])
})

test('what is asked for during a run comes to the lane of its first cause afterwards', () => {
  const queue = open()
  queue.add('busy', URGENT)
  assert.equal(queue.take()?.key, 'busy')
  queue.add('busy', PATIENT)
  queue.add('busy', URGENT)
  queue.add('u', URGENT)
  queue.done('busy')
  assert.deepEqual(takeAll(queue), ['u', 'busy'])
})
