import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { equal } from '#domain/equal.ts'
import { defineKind } from '#domain/kind.ts'
import { compare } from '#domain/managed-fields/compare.ts'
import type { Author, Entries } from '#domain/managed-fields/entry.ts'
import { difference, isEmpty, pathsOf, sameSet, union } from '#domain/managed-fields/field-set.ts'
import { leavesOf, placesOf } from '#domain/managed-fields/fields-of.ts'
import { merge } from '#domain/managed-fields/merge.ts'
import { applyConfiguration, type AppliedConfiguration, ownAfterUpdate } from '#domain/managed-fields/own.ts'
import { shapesOf } from '#domain/managed-fields/shape.ts'
import { s } from '#domain/schema.ts'
import { always } from '#test/support/property.ts'

/** Everything a field can be: text, an atomic list, a map, a set, items with keys, nested objects, unknown content. */
const Item = s.object({ name: s.string() }, { a: s.string(), tags: s.list(s.string()) })
const Plant = defineKind({
  group: 'test.example',
  kind: 'Plant',
  plural: 'plants',
  doc: 'A plant.',
  spec: s.object(
    {},
    {
      text: s.string(),
      list: s.list(s.string()),
      map: s.map(s.string()),
      set: s.list(s.string(), { listType: 'set' }),
      items: s.list(Item, { listType: 'map', listMapKeys: ['name'] }),
      nested: s.object({}, { x: s.string(), y: s.object({}, { z: s.string() }) }),
      free: s.anything(),
    },
  ),
  status: s.object({}),
  columns: [],
})
const shape = shapesOf(Plant).main

const word = fc.constantFrom('p', 'q', 'r')
const key = fc.constantFrom('k', 'constructor', '__proto__')
const dictionary = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc.dictionary(key, values, { noNullPrototype: true, maxKeys: 3 })
const options = { requiredKeys: [] as [], noNullPrototype: true }
const item = fc.record(
  { name: word, a: word, tags: fc.array(word, { maxLength: 2 }) },
  { ...options, requiredKeys: ['name'] },
)
const spec = fc.record(
  {
    text: word,
    list: fc.array(word, { maxLength: 2 }),
    map: dictionary(word),
    set: fc.uniqueArray(word),
    items: fc.uniqueArray(item, { selector: ({ name }) => name }),
    nested: fc.record({ x: word, y: fc.record({ z: word }, options) }, options),
    free: dictionary(fc.oneof(word, fc.array(word, { maxLength: 2 }), dictionary(word))),
  },
  options,
)
const object = spec.map((value) => ({ spec: value }))

const by = (manager: string, operation: Author['operation'] = 'Apply'): Author => ({
  manager,
  operation,
  apiVersion: 'test.example/v1',
})

interface State {
  readonly live: object
  readonly entries: Entries
}
const NOTHING: State = { live: {}, entries: [] }
const apply = ({ live, entries }: State, manager: string, config: object): AppliedConfiguration & State => {
  const applied = applyConfiguration({ shape, live, config, entries, author: by(manager), now: 't' })
  return { ...applied, live: applied.object }
}
const write = ({ live, entries }: State, manager: string, after: object): State => ({
  live: after,
  entries: ownAfterUpdate(entries, compare(shape, live, after), by(manager, 'Update'), 't'),
})
const setOfManager = ({ entries }: State, manager: string) =>
  entries.find((entry) => entry.manager === manager)?.fieldsV1 ?? {}
const leaves = (value: object) => leavesOf(shape, value) ?? {}

describe('a comparison', () => {
  it('takes what is new or different, loses what is gone, and finds nothing in equals', () => {
    always(
      fc.property(object, object, (a, b) => {
        const { taken, gone } = compare(shape, a, b)
        const [inA, inB] = [placesOf(shape, a) ?? {}, placesOf(shape, b) ?? {}]
        assert.ok(isEmpty(difference(taken ?? {}, inB)))
        assert.ok(sameSet(gone ?? {}, difference(inA, inB)))
        assert.ok(isEmpty(difference(difference(inB, inA), taken ?? {})))
        assert.equal(taken === undefined && gone === undefined, equal(sorted(a), sorted(b)))
      }),
    )
  })
})

/** Sets have no order, and neither have items with keys. */
function sorted(value: object): unknown {
  const { spec: content } = structuredClone(value) as { spec: Record<string, unknown[]> }
  content['set']?.sort()
  content['items']?.sort((a, b) => ((a as { name: string }).name < (b as { name: string }).name ? -1 : 1))
  return content
}

describe('apply', () => {
  it('twice is apply once', () => {
    always(
      fc.property(object, object, object, (start, other, config) => {
        const once = apply(apply(write(NOTHING, 'w', start), 'other', other), 'me', config)
        const twice = apply(once, 'me', config)
        assert.deepEqual(twice.live, once.live)
        assert.equal(twice.entries, once.entries)
        assert.deepEqual(twice.clashes, [])
      }),
    )
  })

  it('leaves everything the applier says in the object, and owns exactly that', () => {
    always(
      fc.property(object, object, object, (start, before, config) => {
        const state = apply(apply(write(NOTHING, 'w', start), 'me', before), 'me', config)
        assert.equal(compare(shape, state.live, merge(shape, state.live, config) as object).taken, undefined)
        assert.ok(sameSet(setOfManager(state, 'me'), leaves(config)))
      }),
    )
  })

  it('on nothing, and then of nothing, leaves nothing', () => {
    always(
      fc.property(object, (config) => {
        const gone = apply(apply(NOTHING, 'me', config), 'me', {})
        assert.deepEqual([...pathsOf(leaves(gone.live))], [])
        assert.deepEqual(gone.entries, [])
      }),
    )
  })

  it('never removes or changes what others own, unless it says so itself', () => {
    always(
      fc.property(object, object, object, (theirs, before, config) => {
        const state = apply(apply(apply(NOTHING, 'me', before), 'other', theirs), 'me', config)
        const wanted = difference(setOfManager(state, 'other'), leaves(config))
        assert.ok(isEmpty(difference(wanted, placesOf(shape, state.live) ?? {})))
      }),
    )
  })

  it('of fields others do not own never clashes, in any order with the same end', () => {
    const half = (keys: readonly string[]) =>
      spec.map((value) => ({ spec: Object.fromEntries(Object.entries(value).filter(([k]) => keys.includes(k))) }))
    const left = half(['text', 'map', 'items'])
    const right = half(['list', 'set', 'nested', 'free'])
    always(
      fc.property(left, right, (a, b) => {
        const ab = apply(apply(NOTHING, 'a', a), 'b', b)
        const ba = apply(apply(NOTHING, 'b', b), 'a', a)
        assert.deepEqual([...ab.clashes, ...ba.clashes], [])
        assert.deepEqual(ab.live, ba.live)
        assert.ok(sameSet(setOfManager(ab, 'a'), setOfManager(ba, 'a')))
        assert.ok(sameSet(setOfManager(ab, 'b'), setOfManager(ba, 'b')))
      }),
    )
  })

  it('clashes exactly where it would change what another one owns; by force that becomes its own alone', () => {
    always(
      fc.property(object, object, (theirs, mine) => {
        const before = apply(NOTHING, 'other', theirs)
        const after = apply(before, 'me', mine)
        const clashing = after.clashes.map(({ fields }) => fields).reduce(union, {})
        const { taken = {}, gone = {} } = compare(shape, before.live, after.live)
        assert.deepEqual(
          [...pathsOf(clashing)],
          [...pathsOf(difference(leaves(theirs), difference(leaves(theirs), taken)))],
        )
        assert.ok(isEmpty(difference(clashing, setOfManager(after, 'me'))))
        assert.ok(sameSet(setOfManager(after, 'other'), difference(difference(leaves(theirs), clashing), gone)))
      }),
    )
  })
})

describe('a plain write', () => {
  it('makes its author own all that changed, and leaves the rest with its owners', () => {
    always(
      fc.property(object, object, object, (config, first, second) => {
        const before = write(apply(NOTHING, 'applier', config), 'w', first)
        const after = write(before, 'w2', second)
        const { taken = {}, gone = {} } = compare(shape, first, second)
        assert.ok(isEmpty(difference(taken, setOfManager(after, 'w2'))))
        for (const manager of ['applier', 'w']) {
          const left = difference(difference(setOfManager(before, manager), taken), gone)
          assert.ok(sameSet(setOfManager(after, manager), left))
        }
        assert.ok(after.entries.every(({ fieldsV1 }) => !isEmpty(fieldsV1)))
      }),
    )
  })

  it('of the same object changes no entry', () => {
    always(
      fc.property(object, object, (config, value) => {
        const before = write(apply(NOTHING, 'applier', config), 'w', value)
        assert.equal(write(before, 'w2', structuredClone(value)).entries, before.entries)
      }),
    )
  })
})
