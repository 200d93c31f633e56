import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ByArguments } from '#control/by-arguments.ts'
import { entityAt, entityName, entityOf, kindId, kindIdOf, kindOfEntity, namesKnown } from '#control/entity.ts'
import { Marks } from '#control/marks.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import { always } from '#test/support/property.ts'
import { Garden } from './fixture.ts'
import { Bed, Plot } from './garden.ts'
import { Stone } from './thing.ts'

describe('values by a function and its arguments', () => {
  it('are found, and forgotten, as in a table of all of them', () => {
    const functions = [() => 0, () => 1, () => 2]
    const call = fc
      .nat(2)
      .chain((f) => fc.tuple(fc.constant(f), fc.array(fc.constantFrom('', 'a', 'b'), { minLength: f, maxLength: f })))
    always(
      fc.property(fc.array(fc.tuple(call, fc.boolean()), { maxLength: 30 }), (steps) => {
        const table = new ByArguments<{ readonly text: string }>()
        const model = new Map<string, { readonly value: { readonly text: string }; readonly forget: () => void }>()
        for (const [[f, args], isAdded] of steps) {
          const text = JSON.stringify([f, args])
          const known = model.get(text)
          assert.equal(table.find(functions[f], args), known?.value)
          if (isAdded && known === undefined) {
            const value = { text }
            model.set(text, { value, forget: table.add(functions[f], args, value) })
          } else if (!isAdded && known !== undefined) {
            known.forget()
            model.delete(text)
          }
          for (const { value } of model.values()) {
            const [at, of] = JSON.parse(value.text) as [number, string[]]
            assert.equal(table.find(functions[at], of), value)
          }
        }
      }),
    )
  })
})

describe('marks', () => {
  it('are carried until another takes their place, by any number', () => {
    const marks = new Marks()
    const first = marks.next()
    for (const at of [0, 255, 256, 100_000]) marks.set(at, first)
    const second = marks.next()
    assert.deepEqual(
      [0, 1, 255, 256, 100_000, 100_001, 1_000_000].map((at) => marks.replace(at, first, second)),
      [true, false, true, true, true, false, false],
    )
    assert.equal(marks.replace(0, first, second), false, 'it carries the other one now')
    assert.equal(marks.replace(0, second, first), true)
  })

  it('come round after four billion, and what carried one of them before carries none', () => {
    const marks = new Marks(2 ** 32 - 3)
    marks.set(7, 1)
    const [first, second, third] = [marks.next(), marks.next(), marks.next()]
    assert.deepEqual([first, second, third], [2 ** 32 - 2, 2 ** 32 - 1, 1])
    assert.equal(marks.replace(7, third, third), false)
    marks.set(7, third)
    assert.equal(marks.replace(7, third, third), true)
  })
})

describe('the name of an object', () => {
  it('is the same for the object, for a reference to it and for its parts', () => {
    const metadata = { namespace: 'ns', name: 'n' }
    const stone = { apiVersion: 'things.test/v1', kind: 'Stone', metadata, spec: {} }
    assert.equal(entityOf(stone), 'things.test/v1/Stone/ns/n')
    assert.equal(entityAt(Stone, metadata), entityOf(stone))
    assert.equal(entityName(kindId(Stone), 'ns', 'n'), entityOf(stone))
    assert.equal(kindIdOf(stone), kindId(Stone))
    assert.equal(kindOfEntity(entityOf(stone)), kindId(Stone))
  })

  it('has no namespace where the kind has none, whatever a reference says', () => {
    assert.equal(entityAt(Namespace, { namespace: 'ns', name: 'n' }), 'v1/Namespace//n')
    assert.equal(kindOfEntity('v1/Namespace//n'), kindId(Namespace))
  })

  it('is forgotten with the object', async () => {
    const garden = new Garden().start()
    await garden.put(Plot, 'p', { soil: 'clay' })
    await garden.settle()
    const known: number[] = []
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 10; i++) await garden.put(Bed, `b${round}-${i}`, { plot: 'p', crops: ['kale'] })
      await garden.settle()
      for (let i = 0; i < 10; i++) await garden.delete(Bed, `b${round}-${i}`)
      await garden.settle()
      known.push(namesKnown())
    }
    assert.equal(known[2], known[0])
    await garden.stop()
    await garden.registry.close()
  })

  it('stays the same when more have been named than are remembered', () => {
    const before = entityName('k', 'ns', 'n')
    for (let i = 0; i <= 500_000; i++) entityName('k', 'ns', `n${i}`)
    assert.equal(entityName('k', 'ns', 'n'), before)
    assert.equal(entityName('k', 'ns', 'n7'), 'k/ns/n7')
    assert.equal(entityName('k', 'other', 'n7'), 'k/other/n7')
  })
})
