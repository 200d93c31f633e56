import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { afterPrefix, OrderedKeys } from '#store/ordered-keys.ts'
import { always } from '#test/support/property.ts'

const items = (keys: OrderedKeys<{ key: string }>) => [...keys.walk('')].map(({ key }) => key)

test('ordered keys agree with a sorted array at any size', () => {
  const keys = new OrderedKeys<{ key: string }>()
  const model = new Set<string>()
  let seed = 7
  const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below
  for (let i = 0; i < 40_000; i++) {
    const key = `k${random(5000)}`
    // Grows first and shrinks later, so that chunks split and join.
    if (random(40_000) > i) {
      keys.set({ key })
      model.add(key)
    } else {
      keys.delete(key)
      model.delete(key)
    }
    if (i % 4000 === 0) {
      const sorted = [...model].toSorted()
      assert.deepEqual(items(keys), sorted)
      assert.equal(keys.rank(`k25`), sorted.filter((k) => k < 'k25').length)
    }
  }
  for (const key of model) keys.delete(key)
  assert.equal(keys.size, 0)
  assert.deepEqual(items(keys), [])
})

test('a walk starts at or after the given key', () => {
  const keys = new OrderedKeys<{ key: string }>()
  for (let i = 0; i < 3000; i++) keys.set({ key: String(i).padStart(5, '0') })
  always(
    fc.property(fc.nat(3100), fc.boolean(), (from, exclusive) => {
      const start = String(from).padStart(5, '0')
      const first = keys.walk(start, exclusive).next()
      const expected = exclusive ? from + 1 : from
      assert.equal(
        first.done ? undefined : first.value.key,
        expected < 3000 ? String(expected).padStart(5, '0') : undefined,
      )
      assert.equal(keys.rank(start), Math.min(from, 3000))
    }),
  )
})

test('afterPrefix is the least string above everything that starts with the prefix', () => {
  assert.equal(afterPrefix('a/'), 'a0')
  assert.equal(afterPrefix('a\uffff\uffff'), 'b')
  assert.equal(afterPrefix('\uffff'), undefined)
  assert.equal(afterPrefix(''), undefined)
})
