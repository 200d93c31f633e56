import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Queue } from '#control/queue.ts'
import type { Cause } from '#control/tracker.ts'
import { ManualClock } from '#lib/clock.ts'
import { always } from '#test/support/property.ts'

const URGENT: Cause = { type: 'created' }
const PATIENT: Cause = { type: 'start' }
const READ: Cause = { type: 'read' }
const ECHO: Cause = { type: 'read', echo: true }

function open(): Queue {
  return new Queue({ clock: new ManualClock(0), random: () => 0, wake: () => undefined })
}

/** One that has taken its first turn, in which something is begun. */
function busy(): Queue {
  const queue = open()
  queue.add('first', URGENT)
  takeAll(queue)
  return queue
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

test('what is asked for during a run comes to the lane of its first cause that cannot wait', () => {
  for (const [causes, expected] of [
    [[PATIENT], ['u', 'p', 'busy']],
    [[ECHO], ['u', 'p', 'busy']],
    [
      [PATIENT, ECHO, READ],
      ['u', 'busy', 'p'],
    ],
    [
      [ECHO, ECHO, READ, PATIENT],
      ['u', 'busy', 'p'],
    ],
  ] as const) {
    const queue = open()
    queue.add('busy', URGENT)
    assert.equal(queue.take()?.key, 'busy')
    for (const cause of causes) queue.add('busy', cause)
    queue.add('u', URGENT)
    queue.add('p', PATIENT)
    queue.done('busy')
    assert.deepEqual(takeAll(queue), expected)
  }
})

test('an echo waits for what is urgent, and runs when nothing is', () => {
  const queue = busy()
  queue.add('echo', ECHO)
  queue.add('u', READ)
  assert.equal(queue.depth, 2)
  assert.deepEqual(takeAll(queue), ['u', 'echo'])
  assert.equal(queue.depth, 0)
})

test('an echo and a real reason are one run, at the time of the real reason', () => {
  const queue = busy()
  queue.add('b', PATIENT)
  queue.add('a', ECHO)
  queue.add('u', READ)
  queue.add('a', READ)
  assert.equal(queue.depth, 3)
  assert.equal(queue.take()?.key, 'u')
  assert.deepEqual(queue.take(), { key: 'a', causes: { count: 2, first: [ECHO, READ] } })
  queue.done('u')
  queue.done('a')
  assert.deepEqual(takeAll(queue), ['b'])
})

test('an echo that was promoted leaves nothing behind, also when it echoes again', () => {
  const queue = busy()
  for (let round = 0; round < 5; round++) {
    queue.add('a', ECHO)
    queue.add('a', READ)
    assert.deepEqual([queue.depth, queue.take()?.key], [1, 'a'])
    queue.add('a', ECHO)
    queue.done('a')
    assert.deepEqual([queue.depth, queue.take()?.key], [1, 'a'])
    queue.done('a')
    assert.deepEqual([queue.depth, queue.take()], [0, undefined])
  }
})

test('a change that concerns many does not hurry an echo, and a real reason after it still does', () => {
  const queue = busy()
  queue.add('b', PATIENT)
  queue.add('a', ECHO)
  queue.add('a', { type: 'read', wide: true })
  queue.add('u', READ)
  assert.equal(queue.take()?.key, 'u')
  queue.add('a', READ)
  assert.deepEqual(takeAll(queue), ['a', 'b'])
})

test('whatever was asked for runs, once and never twice at a time', () => {
  const cause = fc.constantFrom<Cause>(URGENT, PATIENT, ECHO, READ, { type: 'read', wide: true }, { type: 'child' })
  const step = fc.oneof(
    fc.record({ add: fc.constantFrom('a', 'b', 'c', 'd'), cause }),
    fc.constant('take' as const),
    fc.record({ done: fc.nat(3) }),
  )
  always(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = open()
      const [queued, running, again] = [new Set<string>(), new Set<string>(), new Set<string>()]
      const take = (): void => {
        const key = queue.take()?.key
        if (key === undefined) return assert.equal(queued.size, 0)
        assert.ok(queued.delete(key) && !running.has(key), key)
        running.add(key)
      }
      const done = (key: string): void => {
        queue.done(key)
        running.delete(key)
        if (again.delete(key)) queued.add(key)
      }
      for (const each of steps) {
        if (each === 'take') take()
        else if ('done' in each) [...running].slice(each.done, each.done + 1).forEach(done)
        else {
          queue.add(each.add, each.cause)
          ;(running.has(each.add) ? again : queued).add(each.add)
        }
        assert.deepEqual([queue.depth, queue.running], [queued.size, running.size])
      }
      for (let left = 100; queued.size + running.size > 0 && left > 0; left--) {
        running.forEach(done)
        take()
      }
      assert.deepEqual([queued.size, running.size, queue.depth, queue.running], [0, 0, 0, 0])
    }),
    { numRuns: 300 },
  )
})

test('nothing is left to take after a stop', () => {
  const queue = busy()
  for (const cause of [URGENT, PATIENT, ECHO, READ]) queue.add(cause.type, cause)
  queue.add('read', URGENT)
  queue.stop()
  assert.deepEqual([queue.depth, queue.take()], [0, undefined])
})
