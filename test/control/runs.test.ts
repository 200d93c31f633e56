import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { controllerOf } from '#control/controller.ts'
import type { TurnLimits } from '#control/engine-options.ts'
import { child, provisioned } from '#domain/plan/plan.ts'
import type { World } from '#domain/plan/world.ts'
import { always } from '#test/support/property.ts'
import { Garden } from './fixture.ts'
import { Bed, Plant, Plot, Sign } from './garden.ts'
import { Stone, Thing, type ThingPlanner, THINGS } from './thing.ts'

let garden: Garden
const gardenOf = async (beds: number): Promise<Garden> => {
  garden = new Garden().start()
  for (const plot of ['p', 'q']) await garden.put(Plot, plot, { soil: plot })
  for (let i = 0; i < beds; i++) await garden.put(Bed, `b${i}`, { plot: i % 2 === 0 ? 'p' : 'q', crops: ['kale'] })
  await garden.settle()
  garden.counted()
  return garden
}
const ran = (): readonly string[] => [...garden.counted().runs.keys()].toSorted()
afterEach(async () => {
  await garden.stop()
  await garden.registry.close()
})

describe('an object is planned again', () => {
  it('when a facet it read has changed, and no other object is', async () => {
    await gardenOf(6)
    await garden.put(Plot, 'p', { soil: 'p', closed: false })
    await garden.settle()
    assert.deepEqual(ran(), ['Bed a/b0', 'Bed a/b2', 'Bed a/b4'])
  })

  it('not when a facet it did not read has changed', async () => {
    await gardenOf(2)
    await garden.put(Plot, 'p', { soil: 'p' }, { metadata: { labels: { colour: 'green' } } })
    await garden.source.updateStatus(Plot, { ...garden.find(Plot, 'p')!, status: { conditions: [] } })
    await garden.settle()
    assert.deepEqual(ran(), [])
  })

  it('when something it found missing appears', async () => {
    await gardenOf(2)
    await garden.put(Bed, 'late', { plot: 'r', crops: [] })
    await garden.settle()
    assert.equal(garden.condition(Bed, 'late'), 'False/PreconditionNotMet')
    garden.counted()
    await garden.put(Plot, 'r', { soil: 'p' })
    await garden.settle()
    assert.equal(garden.condition(Bed, 'late'), 'True/Provisioned')
    assert.ok(!ran().includes('Bed a/b0'), 'the set of soils is the same: nobody else has to run')
  })

  it('when the answer of an aggregate changes, not when one more says the same', async () => {
    await gardenOf(2)
    await garden.put(Plot, 'same', { soil: 'p' })
    await garden.settle()
    assert.deepEqual(ran(), [])
    await garden.put(Plot, 'other', { soil: 'loam' })
    await garden.settle()
    assert.deepEqual(ran(), ['Bed a/b0', 'Bed a/b1'])
  })

  it('when a derived value changes, not when only what it derives from does', async () => {
    await gardenOf(4)
    await garden.put(Bed, 'b0', { plot: 'p', crops: ['kale'] }, { metadata: { labels: { a: 'b' } } })
    await garden.settle()
    assert.deepEqual(ran(), ['Bed a/b0'], 'a label can say its environment, and so that of its children')
    await garden.put(Bed, 'b4', { plot: 'p', crops: [] })
    await garden.settle()
    assert.deepEqual(
      ran().filter((run) => run.startsWith('Bed')),
      ['Bed a/b0', 'Bed a/b2', 'Bed a/b4'],
    )
    assert.deepEqual(garden.find(Bed, 'b0')?.status?.neighbours, 3)
  })

  it('at most once per child on its way from creation to Ready', async () => {
    await gardenOf(1)
    await garden.put(Bed, 'new', { plot: 'q', crops: ['kale', 'leek', 'mint'] })
    await garden.settle()
    const { runs } = garden.counted()
    assert.ok((runs.get('Bed a/new') ?? 0) <= 5, String(runs.get('Bed a/new')))
    assert.equal(runs.get('Plant a/new-kale'), 1)
    assert.equal(runs.get('Sign signs/a.new'), 1)
  })

  describe('when hundreds of its children do something', () => {
    const names = Array.from({ length: 200 }, (_, i) => `child${i}`)
    let history: string[]
    let onRun: (name: string) => void
    const n = (world: World, name: string): number => world.get(Thing, { namespace: 'a', name })?.status.n ?? 0
    const planner: ThingPlanner = (self, world) => {
      history.push(self.name)
      onRun(self.name)
      if (self.spec.peer !== undefined)
        return provisioned({ status: { n: world.get(Stone, { namespace: 'a', name: self.spec.peer })?.spec.n ?? 0 } })
      const children = names.map((name) => child(Thing, { namespace: 'a', name, spec: { peer: 'ground' } }))
      return provisioned({ status: { n: Math.min(...names.map((name) => n(world, name))) }, children })
    }
    const open = async (turn?: TurnLimits): Promise<void> => {
      history = []
      onRun = () => {}
      garden = new Garden({ kinds: THINGS, controllers: [controllerOf(Thing, planner)], turn }).start()
      await garden.put(Thing, 'owner', {})
      await garden.settle()
    }
    const owner = (): any => garden.find(Thing, 'owner')

    it('runs a few times, not once per child', async () => {
      await open()
      for (const state of [1, 2]) {
        history = []
        await garden.put(Stone, 'ground', { n: state })
        await garden.settle()
        assert.equal(owner().status.n, state)
        assert.equal(history.filter((name) => name === 'child7').length, 1)
        const runs = history.filter((name) => name === 'owner').length
        assert.ok(runs <= 10, String(runs))
      }
    })

    it('runs at once when somebody changes it, or takes a child from it', async () => {
      await open({ slices: 1, sliceMs: 0, writes: 1 })
      for (const [state, meanwhile] of [
        [1, () => garden.put(Thing, 'owner', { n: 5 })],
        [2, () => garden.delete(Thing, 'child3')],
      ] as const) {
        history = []
        onRun = () => {
          if (history.length === 50) void meanwhile()
        }
        await garden.put(Stone, 'ground', { n: state })
        await garden.settle()
        assert.equal(owner().status.n, state)
        const next = history.indexOf('owner', 50)
        assert.ok(next >= 50 && next < 100, `${next} of ${history.length}`)
      }
    })
  })

  it('when a child changes hands or readiness, and not for its own writes', async () => {
    await gardenOf(1)
    const sign = garden.find(Sign, 'a.b0', 'signs')!
    await garden.source.updateStatus(Sign, { ...sign, status: {} })
    await garden.settle()
    assert.deepEqual(ran(), ['Bed a/b0', 'Sign signs/a.b0'])
    await garden.delete(Plant, 'b0-kale')
    await garden.settle()
    assert.deepEqual(ran(), ['Bed a/b0', 'Plant a/b0-kale'])
    const kale = garden.find(Plant, 'b0-kale')!
    const odd = { type: 'Odd', status: 'True', reason: 'Odd', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
    await garden.source.updateStatus(Plant, { ...kale, status: { conditions: [...kale.status.conditions, odd] } })
    await garden.settle()
    assert.deepEqual(ran(), ['Plant a/b0-kale'])
  })

  it('at a cost that follows the readers of the change, not the size of the world', async () => {
    await gardenOf(40)
    const before = garden.engine.stats
    await always(
      fc.asyncProperty(fc.nat(39), fc.string({ maxLength: 3 }), async (i, text) => {
        garden.counted()
        await garden.put(
          Bed,
          `b${i}`,
          { plot: i % 2 === 0 ? 'p' : 'q', crops: ['kale'] },
          { metadata: { annotations: { text } } },
        )
        await garden.put(Bed, `b${i}`, {
          plot: i % 2 === 0 ? 'p' : 'q',
          crops: ['kale'],
          kept: [text.length.toString()],
        })
        await garden.settle()
        assert.ok(ran().every((run) => run === `Bed a/b${i}`))
      }),
      { numRuns: 20 },
    )
    assert.deepEqual(garden.engine.stats, before, 'edges or entities leak')
  })

  it('never after it is gone: nothing is left of it in the map', async () => {
    await gardenOf(3)
    for (const name of ['b0', 'b1', 'b2']) await garden.delete(Bed, name)
    await garden.settle()
    const { edges, entities, derivations, objects } = garden.engine.stats
    assert.deepEqual({ edges, entities, derivations, objects }, { edges: 0, entities: 0, derivations: 0, objects: 0 })
  })
})
