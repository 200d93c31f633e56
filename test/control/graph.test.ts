import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Graph } from '#control/graph.ts'
import { Tracker, type Cause } from '#control/tracker.ts'
import { TEST_INSTALLATION } from '#control/world.ts'
import type { Resource } from '#domain/object.ts'
import type { World } from '#domain/plan/world.ts'
import { always } from '#test/support/property.ts'
import { Stone } from './thing.ts'

const entity = fc.constantFrom('a', 'b', 'c', 'd')
const reads = fc.uniqueArray(fc.tuple(entity, fc.nat(5)), { maxLength: 6, selector: ([e, f]) => `${e}${f}` })

describe('the reverse map', () => {
  it('names exactly the readers of a facet, and forgets what nobody reads', () => {
    always(
      fc.property(fc.array(fc.tuple(fc.nat(4), reads), { maxLength: 30 }), (history) => {
        const graph = new Graph<string>()
        const ids = Array.from({ length: 5 }, (_, i) => graph.addReader(`r${i}`))
        const model = new Map<number, readonly (readonly [string, number])[]>()
        for (const [reader, slots] of history) {
          graph.setReads(
            ids[reader]!,
            [...slots, ...slots.slice(1)].map(([e, f]) => graph.base(e) + f),
          )
          graph.sweep()
          model.set(reader, slots)
        }
        const all = [...model].flatMap(([reader, slots]) => slots.map(([e, f]) => ({ reader: `r${reader}`, e, f })))
        for (const e of ['a', 'b', 'c', 'd']) {
          for (let f = 0; f <= 5; f++) {
            const expected = all.filter((edge) => edge.e === e && edge.f === f).map((edge) => edge.reader)
            assert.deepEqual(graph.readersOf(e, 1 << f).toSorted(), expected.toSorted())
          }
        }
        for (const e of ['a', 'b', 'c', 'd']) {
          const expected = new Set(all.filter((edge) => edge.e === e).map((edge) => edge.reader))
          assert.deepEqual(graph.readersOf(e, 0b111111).toSorted(), [...expected].toSorted(), 'each once')
        }
        assert.equal(graph.stats.edges, all.length)
        assert.equal(graph.stats.entities, new Set(all.map((edge) => edge.e)).size)
      }),
    )
  })
})

const stone = (name: string, n: number, version: number): Resource => ({
  apiVersion: 'things.test/v1',
  kind: 'Stone',
  metadata: { namespace: 'a', name, uid: name, generation: version, resourceVersion: String(version) },
  spec: { n },
})

const valueOf = (world: World, name: string): number => world.get(Stone, { namespace: 'a', name })?.spec.n ?? 0
let computed: string[] = []
const parity = (world: World, name: string): number => (computed.push(`parity ${name}`), valueOf(world, name) % 2)
const sum = (world: World): number => (computed.push('sum'), world.derive(parity, 'x') + world.derive(parity, 'y'))

describe('a change', () => {
  it('with many readers is told in portions, and at once to those who cannot wait', () => {
    const tracker = new Tracker({ installation: TEST_INSTALLATION, now: () => 0 })
    const told: number[] = []
    for (let i = 0; i < 250; i++) {
      const reader = tracker.graph.addReader({ canWait: () => i !== 7, stale: () => void told.push(i) })
      tracker.record(reader, (world) => valueOf(world, 'x'))
    }
    tracker.put(stone('x', 1, 1))
    assert.deepEqual(told, [7])
    assert.equal(tracker.hasUntold, true)
    assert.equal(tracker.tellSome(), true)
    assert.ok(told.length > 50 && told.length < 150)
    while (tracker.tellSome());
    assert.equal(new Set(told).size, 250)
    assert.equal(told.length, 250)
    assert.equal(tracker.hasUntold, false)
  })

  it('is told once to each reader, and is of few readers however much of it they read', () => {
    const tracker = new Tracker({ installation: TEST_INSTALLATION, now: () => 0 })
    const told: (boolean | undefined)[] = []
    tracker.put(stone('x', 0, 1))
    for (let i = 0; i < 4; i++) {
      const reader = tracker.graph.addReader({ canWait: () => true, stale: ({ wide }) => void told.push(wide) })
      tracker.record(reader, (world) => {
        const { spec, labels, status, ready } = world.get(Stone, { namespace: 'a', name: 'x' })!
        return { spec, labels, status, ready }
      })
    }
    tracker.remove(stone('x', 0, 2))
    assert.deepEqual(told, [undefined, undefined, undefined, undefined])
  })

  it('with few readers is told at once', () => {
    const tracker = new Tracker({ installation: TEST_INSTALLATION, now: () => 0 })
    let told = 0
    const reader = tracker.graph.addReader({ canWait: () => true, stale: () => void told++ })
    tracker.record(reader, (world) => valueOf(world, 'x'))
    tracker.put(stone('x', 1, 1))
    assert.equal(told, 1)
  })
})

describe('a derivation', () => {
  const start = (): { tracker: Tracker; causes: Cause[]; ask: () => number } => {
    const tracker = new Tracker({ installation: TEST_INSTALLATION, now: () => 0 })
    const causes: Cause[] = []
    const reader = tracker.graph.addReader({ canWait: () => false, stale: (cause) => void causes.push(cause) })
    const ask = (): number => tracker.record(reader, (world) => world.derive(sum) + world.derive(parity, 'x')).value
    return { tracker, causes, ask }
  }

  it('is computed once per change of what it reads, in order, and its readers hear only of new values', () => {
    const { tracker, causes, ask } = start()
    tracker.put(stone('x', 1, 1))
    tracker.put(stone('y', 1, 1))
    computed = []
    assert.equal(ask(), 3)
    assert.deepEqual(computed, ['sum', 'parity x', 'parity y'])
    computed = []
    tracker.put(stone('x', 3, 2))
    tracker.flush()
    assert.deepEqual(computed, ['parity x'], 'the same parity: nothing behind it is looked at')
    assert.deepEqual(causes, [])
    tracker.put(stone('x', 2, 3))
    tracker.put(stone('y', 2, 2))
    computed = []
    tracker.flush()
    assert.deepEqual(computed.toSorted(), ['parity x', 'parity y', 'sum'], 'both changes at once, no half way')
    assert.equal(ask(), 0)
  })

  it('tells nobody when changes cancel out behind it', () => {
    const { tracker, causes, ask } = start()
    tracker.put(stone('x', 1, 1))
    tracker.put(stone('y', 0, 1))
    ask()
    tracker.put(stone('x', 0, 2))
    tracker.put(stone('y', 1, 2))
    tracker.flush()
    assert.deepEqual(
      causes.map((cause) => cause.entity?.split('#')[0]),
      ['=parity'],
      'the sum is what it was',
    )
  })

  it('is forgotten with its last reader', () => {
    const { tracker, ask } = start()
    ask()
    assert.equal(tracker.derivations, 3)
    tracker.drop(0)
    tracker.sweep()
    assert.equal(tracker.derivations, 0)
    assert.deepEqual([tracker.graph.stats.edges, tracker.graph.stats.entities, tracker.graph.stats.readers], [0, 0, 0])
  })

  it('that asks for itself is a mistake its reader hears of', () => {
    const { tracker } = start()
    const circle = (world: World): number => world.derive(circle)
    const reader = tracker.graph.addReader({ canWait: () => false, stale: () => {} })
    assert.throws(() => tracker.record(reader, (world) => world.derive(circle)), /asks for its own value/)
  })
})
