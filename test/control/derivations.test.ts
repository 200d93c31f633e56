import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Tracker } from '#control/tracker.ts'
import { staticWorld, TEST_INSTALLATION } from '#control/world.ts'
import type { Resource } from '#domain/object.ts'
import type { Derivation, World } from '#domain/plan/world.ts'
import { defineIndex } from '#domain/plan/world.ts'
import { always } from '#test/support/property.ts'
import { Stone } from './thing.ts'

const START = Date.UTC(2026, 5, 1)
const timeOf = (hours: number): string => new Date(START + hours * 3_600_000).toISOString()

let version = 0
const stone = (name: string, n: number): Resource => ({
  apiVersion: 'things.test/v1',
  kind: 'Stone',
  metadata: { namespace: 'a', name, uid: name, generation: ++version, resourceVersion: String(version) },
  spec: { n },
})

let computed: string[] = []
const noted = <A extends readonly string[], T>(name: string, derive: Derivation<A, T>): Derivation<A, T> =>
  Object.defineProperty((world: World, ...args: A) => (computed.push(name), derive(world, ...args)), 'name', {
    value: name,
  })

const stonesByN = defineIndex({ name: 'stonesByN', kind: Stone, keys: ({ spec }) => [String(spec.n)] })

const valueOf = noted('value', (world, name: string): number => world.get(Stone, { namespace: 'a', name })?.spec.n ?? 0)
const parity = noted('parity', (world, name: string): number => world.derive(valueOf, name) % 2)
const twins = noted(
  'twins',
  (world, name: string): number => world.list(stonesByN, String(world.derive(valueOf, name))).length,
)
/** Reads something else depending on what it finds. */
const fork = noted('fork', (world): number =>
  world.derive(parity, 'x') === 0 ? world.derive(valueOf, 'y') : world.derive(parity, 'z') + world.derive(twins, 'y'),
)
const fragile = noted('fragile', (world): number => {
  if (world.derive(valueOf, 'x') === 3) throw new Error('three')
  return world.derive(parity, 'y')
})
/** Time alone changes it. */
const timed = noted('timed', (world, name: string): boolean => world.reached(timeOf(world.derive(valueOf, name))))
const all = noted('all', (world): readonly unknown[] => [
  world.derive(fork),
  world.derive(timed, 'y'),
  world.derive(fragile),
])

/** What a reader may ask for; an error is an answer as well. */
const QUESTIONS: readonly ((world: World) => unknown)[] = [
  (world) => world.derive(parity, 'x'),
  (world) => world.derive(fork),
  (world) => world.derive(fragile),
  (world) => world.derive(timed, 'x'),
  (world) => world.derive(timed, 'z'),
  (world) => world.derive(twins, 'z'),
  (world) => world.derive(all),
]

const attempt = (ask: () => unknown): unknown => {
  try {
    return ask()
  } catch (error) {
    return (error as Error).message
  }
}

/** A tracker whose readers are told what changed, next to what they would find out by themselves. */
class Readers {
  now = START
  readonly tracker = new Tracker({ installation: TEST_INSTALLATION, now: () => this.now })
  readonly #ids = Array.from({ length: 3 }, (_, i) =>
    this.tracker.graph.addReader({ canWait: () => false, stale: () => void this.told.add(i) }),
  )
  readonly #answers = new Map<number, { readonly questions: readonly number[]; readonly answer: unknown }>()
  readonly told = new Set<number>()

  ask(reader: number, questions: readonly number[]): unknown {
    const look = (world: World): unknown => questions.map((q) => attempt(() => QUESTIONS[q]!(world)))
    const { value } = this.tracker.record(this.#ids[reader]!, look)
    this.told.delete(reader)
    this.#answers.set(reader, { questions, answer: value })
    return value
  }

  truth(questions: readonly number[]): unknown {
    const world = staticWorld(this.tracker.cache.all(), { now: new Date(this.now).toISOString() })
    return questions.map((q) => attempt(() => QUESTIONS[q]!(world)))
  }

  /** Whoever was told nothing would get the same answer as before. */
  check(): void {
    const { nextWake } = this.tracker
    assert.ok(nextWake === undefined || nextWake > this.now, 'a time that has come is not waited for')
    for (const [reader, { questions, answer }] of this.#answers)
      if (!this.told.has(reader)) assert.deepEqual(answer, this.truth(questions), `reader ${reader}`)
  }
}

const name = fc.constantFrom('x', 'y', 'z')
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ put: name, n: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ remove: name }) },
  {
    weight: 4,
    arbitrary: fc.record({ ask: fc.nat(2), about: fc.uniqueArray(fc.nat(QUESTIONS.length - 1), { maxLength: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ hours: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.constant({ sweep: true as const }) },
)

describe('derivations', () => {
  it('give the truth to whoever asks, and whoever would get another answer is told, however readers come and go', () => {
    always(
      fc.property(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 40 }), (steps) => {
        const readers = new Readers()
        const { tracker } = readers
        for (const [each, flushes] of steps) {
          if ('put' in each) tracker.put(stone(each.put, each.n))
          else if ('remove' in each) tracker.remove(stone(each.remove, 0))
          else if ('hours' in each) readers.now += each.hours * 3_600_000
          else if ('sweep' in each) tracker.sweep()
          else {
            tracker.flush()
            assert.deepEqual(readers.ask(each.ask, each.about), readers.truth(each.about))
          }
          if (!flushes) continue
          tracker.flush()
          readers.check()
        }
        for (const reader of [0, 1, 2]) readers.ask(reader, [])
        tracker.flush()
        tracker.sweep()
        const { edges, entities } = tracker.graph.stats
        assert.deepEqual([edges, entities, tracker.derivations], [0, 0, 0])
      }),
      { numRuns: 300 },
    )
  })

  const start = (): { readonly readers: Readers; readonly tracker: Tracker } => {
    const readers = new Readers()
    for (const each of ['x', 'y', 'z']) readers.tracker.put(stone(each, 1))
    return { readers, tracker: readers.tracker }
  }

  it('that nobody reads are not computed, nor what only they read, and give the new value when somebody asks', () => {
    const { readers, tracker } = start()
    assert.deepEqual(readers.ask(0, [0]), [1])
    readers.ask(0, [])
    tracker.put(stone('x', 2))
    tracker.flush()
    for (const n of [3, 4]) {
      computed = []
      tracker.put(stone('x', n))
      tracker.flush()
      assert.deepEqual(computed, [])
    }
    assert.deepEqual(readers.ask(0, [0]), [0])
    assert.deepEqual(computed, ['parity', 'value'])
    computed = []
    tracker.put(stone('x', 5))
    tracker.flush()
    assert.deepEqual([computed, readers.told.has(0)], [['value', 'parity'], true], 'from then on it is current again')
  })

  it('that nobody reads for a while are not computed again when nothing has changed', () => {
    const { readers, tracker } = start()
    readers.ask(0, [1])
    readers.ask(0, [])
    tracker.flush()
    computed = []
    readers.ask(1, [1])
    assert.deepEqual(computed, [])
  })

  it('that nobody reads wait for no time, and know it when they are asked', () => {
    const { readers, tracker } = start()
    assert.deepEqual(readers.ask(0, [3]), [false])
    assert.equal(tracker.nextWake, START + 3_600_000)
    readers.ask(0, [])
    readers.now += 3_600_000
    computed = []
    tracker.flush()
    assert.deepEqual([computed, tracker.nextWake], [[], undefined])
    assert.deepEqual(readers.ask(0, [3]), [true])
  })

  it('that nobody reads are swept when there are thousands of them', () => {
    const { readers, tracker } = start()
    const reader = tracker.graph.addReader({ canWait: () => false, stale: () => {} })
    const many = (count: number): void => {
      for (let i = 0; i < count; i++) tracker.record(reader, (world) => world.derive(valueOf, `stone${i}`))
      tracker.record(reader, () => undefined)
    }
    many(1000)
    assert.equal(tracker.derivations, 1000, 'a few are kept')
    readers.ask(0, [0])
    many(10_000)
    assert.ok(tracker.derivations < 5000, String(tracker.derivations))
    computed = []
    assert.deepEqual(readers.ask(0, [0]), [1])
    assert.deepEqual(computed, [], 'what is read is not swept')
    tracker.put(stone('x', 2))
    tracker.flush()
    assert.ok(readers.told.has(0))
  })
})
