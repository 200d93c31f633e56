import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import fc from 'fast-check'
import { controllerOf } from '#control/controller.ts'
import { type Child, child, provisioned } from '#domain/plan/plan.ts'
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
    assert.deepEqual(ran(), [])
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

  it('a few times, not once per child, when hundreds of its children do something', async () => {
    const names = Array.from({ length: 200 }, (_, i) => `child${i}`)
    const ofChild = (name: string): Child => child(Thing, { namespace: 'a', name, spec: { peer: 'ground' } })
    const planner: ThingPlanner = (self, world) => {
      const n = (name: string): number => world.get(Thing, { namespace: 'a', name })?.status.n ?? 0
      if (self.spec.peer === undefined)
        return provisioned({ status: { n: Math.min(...names.map(n)) }, children: names.map(ofChild) })
      return provisioned({ status: { n: world.get(Stone, { namespace: 'a', name: self.spec.peer })?.spec.n ?? 0 } })
    }
    garden = new Garden({ kinds: THINGS, controllers: [controllerOf(Thing, planner)] }).start()
    await garden.put(Thing, 'owner', {})
    await garden.settle()
    for (const n of [1, 2]) {
      garden.counted()
      await garden.put(Stone, 'ground', { n })
      await garden.settle()
      assert.equal(garden.find(Thing, 'owner')?.status.n, n)
      const { runs } = garden.counted()
      assert.equal(runs.get('Thing a/child7'), 1)
      assert.ok((runs.get('Thing a/owner') ?? 0) <= 10, String(runs.get('Thing a/owner')))
    }
    await garden.put(Thing, 'owner', { n: 5 })
    await garden.put(Stone, 'ground', { n: 3 })
    await garden.put(Thing, 'owner', { n: 6 })
    await garden.settle()
    assert.equal(garden.find(Thing, 'owner')?.status.n, 3)
    assert.equal(garden.find(Thing, 'owner')?.status.conditions[0].observedGeneration, 3)
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
