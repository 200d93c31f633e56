import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bucketKey, Cache } from '#control/cache.ts'
import { entityOf } from '#control/entity.ts'
import { ALL_FACETS, Facet } from '#control/facets.ts'
import type { Resource } from '#domain/object.ts'
import { defineAggregate, defineIndex } from '#domain/plan/world.ts'
import { always } from '#test/support/property.ts'
import { Stone } from './thing.ts'

const NAMES = ['x', 'y', 'z']
const KEYS = ['0', '1', 'red', 'blue', 'owner', 'leaving', 'ready']

/** Everything an index may look at is a key. */
const keysOf = ({ metadata, spec, status }: any): string[] => [
  String(spec.n),
  ...Object.values<string>(metadata.labels ?? {}),
  ...(metadata.ownerReferences ?? []).map((owner: any) => owner.name),
  ...(metadata.deletionTimestamp === undefined ? [] : ['leaving']),
  ...(status?.ready === true ? ['ready'] : []),
]
const byAnything = defineIndex<any, any>({ name: 'byAnything', kind: Stone, keys: keysOf })
const namesOf = defineAggregate<any, any>({
  name: 'namesOf',
  kind: Stone,
  entries: (o) => keysOf(o).map((key) => ({ key, value: o.metadata.uid ?? '' })),
})

interface Look {
  readonly name: string
  readonly uid: string
  readonly n: number
  readonly colours: readonly string[]
  readonly owned: boolean
  readonly leaving: boolean
  readonly ready: boolean
}

/** Parts that are the same as in `old` are the very same objects, as in the news of what was written here. */
function stone(look: Look, old: Resource | undefined): Resource {
  const share = <T>(part: T, before: unknown): T =>
    JSON.stringify(part) === JSON.stringify(before) ? (before as T) : part
  return {
    apiVersion: 'things.test/v1',
    kind: 'Stone',
    metadata: {
      namespace: 'a',
      name: look.name,
      uid: look.uid,
      generation: 1,
      labels: share(Object.fromEntries(look.colours.map((colour) => [colour, colour])), old?.metadata.labels),
      ownerReferences: share(
        look.owned ? [{ apiVersion: 'v1', kind: 'K', name: 'owner', uid: 'o' }] : [],
        old?.metadata.ownerReferences,
      ),
      deletionTimestamp: look.leaving ? '2026-01-01T00:00:00Z' : undefined,
    },
    spec: share({ n: look.n }, old?.spec),
    status: share({ ready: look.ready } as Resource['status'], old?.status),
  }
}

const PLAIN: Look = { name: 'x', uid: '1', n: 0, colours: [], owned: false, leaving: false, ready: false }

/** Most news change one thing, or nothing. */
const edit: fc.Arbitrary<Partial<Look>> = fc.record(
  {
    uid: fc.constantFrom('1', '2'),
    n: fc.nat(1),
    colours: fc.subarray(['red', 'blue']),
    owned: fc.boolean(),
    leaving: fc.boolean(),
    ready: fc.boolean(),
  },
  { requiredKeys: [] },
)
const change = fc.record({ name: fc.constantFrom(...NAMES), edit: fc.option(edit, { nil: undefined, freq: 5 }) })

const answers = (cache: Cache): ReadonlyMap<string, unknown> =>
  new Map(
    KEYS.flatMap((key): [string, unknown][] => [
      [bucketKey('byAnything', key), cache.bucket(byAnything, key).map((o) => o.metadata)],
      [bucketKey('namesOf', key), cache.values(namesOf, key)],
    ]),
  )

const identities = (answer: unknown): unknown =>
  (answer as readonly any[]).map((o) => (typeof o === 'string' ? o : `${o.name} ${o.uid}`))

describe('the cache', () => {
  it('answers like one that was filled just now, and says which answers a change has changed', () => {
    always(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const cache = new Cache()
        const looks = new Map<string, Look>()
        answers(cache)
        for (const { name, edit: edited } of changes) {
          const before = answers(cache)
          const old = [...cache.all()].find((o) => o.metadata.name === name)
          const now = edited && { ...PLAIN, ...looks.get(name), name, ...edited }
          const put = now && stone(now, old)
          const effect = put === undefined ? old && cache.remove(entityOf(old)) : cache.put(entityOf(put), put)
          if (now === undefined) looks.delete(name)
          else looks.set(name, now)
          const fresh = new Cache()
          for (const o of cache.all()) fresh.put(entityOf(o), o)
          const [after, expected] = [answers(cache), answers(fresh)]
          assert.deepEqual(after, expected)
          const changed = [...after].filter(
            ([key, answer]) => JSON.stringify(identities(answer)) !== JSON.stringify(identities(before.get(key))),
          )
          assert.deepEqual(new Set(effect?.buckets), new Set(changed.map(([key]) => key)))
        }
      }),
      { numRuns: 200 },
    )
  })

  it('tells a successor of the same name from the same object, whatever else they share', () => {
    const cache = new Cache()
    cache.bucket(byAnything, '0')
    const first = stone(PLAIN, undefined)
    cache.put(entityOf(first), first)
    const second = stone({ ...PLAIN, uid: '2' }, first)
    assert.equal(second.spec, first.spec)
    const effect = cache.put(entityOf(second), second)
    assert.deepEqual([effect.facets, effect.buckets], [ALL_FACETS, [bucketKey('byAnything', '0')]])
    assert.equal(cache.bucket(byAnything, '0')[0], second)
  })

  it('finds nothing new in the same parts under another version, and gives out the new version', () => {
    const cache = new Cache()
    const first = stone(PLAIN, undefined)
    cache.put(entityOf(first), first)
    const stored = { ...first, metadata: { ...first.metadata, resourceVersion: '7', finalizers: ['example.com/f'] } }
    const { facets, buckets } = cache.put(entityOf(stored), stored)
    assert.deepEqual([facets, buckets], [0, []])
    assert.equal(cache.bucket(byAnything, '0')[0], stored)
    const grown = { ...stored, metadata: { ...stored.metadata, generation: 2 } }
    assert.equal(cache.put(entityOf(grown), grown).facets, 1 << Facet.spec)
  })
})
