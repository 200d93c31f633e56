import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { Compacted, FutureRevision, StoreUnavailable } from '#store/store.ts'
import type { Store } from '#store/store.ts'
import { storeAgreesWithModel } from './store-model.ts'
import { accepted, bytes, put, recorder, remove, shown, text, write } from './store-values.ts'

export interface OpenOptions {
  readonly history?: { readonly revisions: number; readonly ageMs: number }
}

export type OpenStore = (options?: OpenOptions) => Promise<Store>

/** What every implementation of the store promises. `open` gives a new, empty store. */
export function storeContract(name: string, open: OpenStore, { modelRuns = 200 } = {}): void {
  describe(`${name} store`, () => {
    const opened: Store[] = []
    const fresh: OpenStore = async (options) => {
      const store = await open(options)
      opened.push(store)
      return store
    }
    afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())))
    writing(fresh)
    transacting(fresh)
    keeping(fresh)
    ordering(fresh)
    listing(fresh)
    refusing(fresh)
    watching(fresh)
    watchingLive(fresh)
    forgetting(fresh)
    closing(fresh)
    storeAgreesWithModel(fresh, modelRuns)
  })
}

function writing(open: OpenStore): void {
  test('a new store is empty at revision 0', async () => {
    const store = await open()
    assert.equal(store.revision, 0)
    assert.equal(store.floor, 0)
    assert.equal(store.get('a'), undefined)
    assert.deepEqual(await store.list(''), { entries: [], revision: 0, remaining: 0 })
  })

  test('a write is readable once it is acknowledged and not before', async () => {
    const store = await open()
    const outcome = store.transact([put('a', '1', 'absent')])
    assert.equal(store.get('a'), undefined)
    assert.equal(store.revision, 0)
    assert.deepEqual(await outcome, { ok: true, revision: 1 })
    assert.deepEqual(shown([store.get('a')!]), ['a=1@1'])
    assert.equal(store.revision, 1)
  })

  test('absent matches only a key that does not exist', async () => {
    const store = await open()
    await write(store, 'a', '1')
    const outcome = await store.transact([put('a', '2', 'absent')])
    assert.deepEqual(outcome, { ok: false, failed: 0, current: { key: 'a', value: bytes('1'), revision: 1 } })
    assert.equal(store.revision, 1)
  })

  test('a revision matches only the version that has it', async () => {
    const store = await open()
    await write(store, 'a', '1')
    await write(store, 'a', '2')
    assert.equal((await store.transact([put('a', '3', 1)])).ok, false)
    assert.equal((await store.transact([remove('a', 1)])).ok, false)
    assert.deepEqual(await store.transact([put('b', '3', 7)]), { ok: false, failed: 0, current: undefined })
    assert.equal(await accepted(store.transact([put('a', '3', 2)])), 3)
    assert.equal(await accepted(store.transact([remove('a', 3)])), 4)
    assert.equal(store.get('a'), undefined)
  })
}

function transacting(open: OpenStore): void {
  test('all ops of a transaction happen under one revision, or none does', async () => {
    const store = await open()
    await write(store, 'a', '1')
    const refused = await store.transact([put('b', '1'), remove('a', 1), put('c', '1', 9), put('d', '1', 9)])
    assert.deepEqual(refused, { ok: false, failed: 2, current: undefined })
    assert.deepEqual(shown(store.entries('')), ['a=1@1'])
    assert.equal(await accepted(store.transact([put('b', '1'), remove('a', 1), put('c', '1', 'absent')])), 2)
    assert.deepEqual(shown(store.entries('')), ['b=1@2', 'c=1@2'])
  })

  test('encode receives the revision that the write then has', async () => {
    const store = await open()
    const op = (key: string) => ({ type: 'put', key, expect: 'any', encode: (r: number) => bytes(`r${r}`) }) as const
    await Promise.all([store.transact([op('a'), op('b')]), store.transact([op('c')]), store.transact([op('a')])])
    assert.deepEqual(shown(store.entries('')), ['a=r3@3', 'b=r1@1', 'c=r2@2'])
  })

  test('an encode that throws rejects its transaction and leaves no trace', async () => {
    const store = await open()
    const broken = {
      type: 'put',
      key: 'b',
      expect: 'any',
      encode: () => {
        throw new Error('no bytes')
      },
    } as const
    await assert.rejects(store.transact([put('a', '1'), broken]), /no bytes/)
    assert.equal(await write(store, 'c', '1'), 1)
    assert.deepEqual(shown(store.entries('')), ['c=1@1'])
  })

  test('a transaction that names a key twice is a mistake of the caller', async () => {
    const store = await open()
    await assert.rejects(store.transact([put('a', '1'), remove('a')]), TypeError)
  })

  test('deleting what is not there changes nothing and takes no revision', async () => {
    const store = await open()
    await write(store, 'a', '1')
    assert.deepEqual(await store.transact([remove('b')]), { ok: true, revision: 1 })
    assert.deepEqual(await store.transact([remove('b', 'absent')]), { ok: true, revision: 1 })
    assert.deepEqual(await store.transact([]), { ok: true, revision: 1 })
    const { calls, listener } = recorder()
    await store.watch('', 1, listener)
    assert.equal(await accepted(store.transact([remove('b'), put('c', '1')])), 2)
    assert.deepEqual(calls, [['2 put c 1 ()']])
  })
}

function keeping(open: OpenStore): void {
  test('keys and values are kept exactly, whatever they contain', async () => {
    const store = await open()
    const keys = ['__proto__', 'constructor', '', 'a\0b', 'ü', '\u{1f600}', '\uffff', 'toString', "'; drop table"]
    for (const key of keys) await accepted(store.transact([put(key, key, 'absent')]))
    for (const key of keys) assert.equal(text(store.get(key)!.value), key)
    assert.deepEqual(
      (await store.list('')).entries.map(({ key }) => key),
      keys.toSorted((a, b) => (a < b ? -1 : 1)),
    )
    const binary = Uint8Array.from({ length: 256 }, (_, i) => i)
    await store.transact([{ type: 'put', key: 'binary', expect: 'any', encode: () => binary }])
    assert.deepEqual(store.get('binary')!.value, binary)
  })

  test('a value larger than the store can keep is refused before anything is written', async () => {
    const store = await open()
    const encode = () => new Uint8Array((256 << 20) + 1)
    const huge = store.transact([put('a', '1'), { type: 'put', key: 'b', expect: 'any', encode }])
    await assert.rejects(huge, RangeError)
    assert.equal(await write(store, 'c', '1'), 1)
    assert.equal(store.count(''), 1)
  })

  test('a key that is no valid text is refused', async () => {
    const store = await open()
    await assert.rejects(store.transact([put('a\ud800', '1')]), TypeError)
  })

  test('a value is the callers own: changing the bytes afterwards changes nothing', async () => {
    const store = await open()
    const value = bytes('before')
    await store.transact([{ type: 'put', key: 'a', expect: 'any', encode: () => value }])
    value.fill(0)
    assert.equal(text(store.get('a')!.value), 'before')
  })

  test('bytes that were read stay what they were', async () => {
    const store = await open()
    await write(store, 'a', 'x'.repeat(1000))
    const { value } = store.get('a')!
    await Promise.all(Array.from({ length: 3000 }, (_, i) => write(store, 'a', `${i}`.padEnd(1000, 'y'))))
    assert.equal(text(value), 'x'.repeat(1000))
  })

  test('values from nothing to megabytes', async () => {
    const store = await open()
    for (const size of [0, 1, 100_000, 2_000_000, 0]) {
      await write(store, 'a', 'z'.repeat(size))
      assert.equal(text(store.get('a')!.value), 'z'.repeat(size))
    }
  })
}

function ordering(open: OpenStore): void {
  test('transactions are decided in call order against what was accepted before them', async () => {
    const store = await open()
    const outcomes = await Promise.all([
      store.transact([put('a', '1', 'absent')]),
      store.transact([put('a', '2', 1)]),
      store.transact([put('a', '3', 1)]),
      store.transact([remove('a', 2)]),
      store.transact([put('a', '4', 'absent')]),
    ])
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.ok ? outcome.revision : shown([outcome.current!]).join())),
      [1, 2, 'a=2@2', 3, 4],
    )
  })

  test('of many concurrent compare-and-sets on one version exactly one wins', async () => {
    const store = await open()
    for (let round = 0; round < 20; round++) {
      const revision = await write(store, 'a', `${round}`)
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, i) => store.transact([put('a', `${i}`, revision)])),
      )
      assert.equal(outcomes.filter(({ ok }) => ok).length, 1)
    }
  })

  test('promises settle in call order', async () => {
    const store = await open()
    const settled: number[] = []
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => store.transact([put(`k${i % 7}`, '')]).then(() => settled.push(i))),
    )
    assert.deepEqual(settled, [...Array(50).keys()])
  })

  test('a refusal that rests on a write in flight is answered only once that write is durable', async () => {
    const store = await open()
    let durable = false
    const first = store.transact([put('a', '1', 'absent')]).then(() => (durable = true))
    const refusal = await store.transact([put('b', '1'), put('a', '2', 'absent')])
    assert.equal(durable, true)
    assert.deepEqual(refusal, { ok: false, failed: 1, current: { key: 'a', value: bytes('1'), revision: 1 } })
    assert.deepEqual(shown([store.get('a')!]), ['a=1@1'])
    await first
  })
}

function listing(open: OpenStore): void {
  test('a list holds exactly the keys under its prefix, in code unit order', async () => {
    const store = await open()
    for (const key of ['/b/2', '/a', '/b/', '/b/10', '/c', '/b', '/b/\uffff\uffff', '/b0']) await write(store, key, '')
    const keys = async (prefix: string) => (await store.list(prefix)).entries.map(({ key }) => key)
    assert.deepEqual(await keys('/b/'), ['/b/', '/b/10', '/b/2', '/b/\uffff\uffff'])
    assert.deepEqual(await keys('/b/\uffff'), ['/b/\uffff\uffff'])
    assert.equal((await keys('')).length, 8)
    assert.equal(store.count('/b/'), 4)
    assert.equal(store.count('/b/\uffff'), 1)
    assert.equal(store.count(''), 8)
    assert.equal(store.count('/x'), 0)
  })

  test('limit and after cut a list into pages and remaining counts what is left', async () => {
    const store = await open()
    for (let i = 0; i < 7; i++) await write(store, `/k/${i}`, '')
    await write(store, '/l', '')
    const first = await store.list('/k/', { limit: 3 })
    assert.deepEqual([first.entries.map(({ key }) => key), first.remaining], [['/k/0', '/k/1', '/k/2'], 4])
    const second = await store.list('/k/', { limit: 3, after: '/k/2' })
    assert.deepEqual([second.entries.map(({ key }) => key), second.remaining], [['/k/3', '/k/4', '/k/5'], 1])
    const last = await store.list('/k/', { limit: 3, after: '/k/5' })
    assert.deepEqual([last.entries.map(({ key }) => key), last.remaining], [['/k/6'], 0])
    assert.deepEqual((await store.list('/k/', { after: '/l' })).entries, [])
    assert.equal((await store.list('/k/', { after: '/a' })).entries.length, 7)
    assert.equal((await store.list('/k/', { after: '/k/55', limit: 1 })).entries[0]!.key, '/k/6')
  })

  test('all pages of a list show one snapshot while others write', async () => {
    const store = await open()
    for (let i = 0; i < 40; i++) await write(store, `/k/${String(i).padStart(2, '0')}`, 'old')
    const expected = shown(store.entries('/k/'))
    const first = await store.list('/k/', { limit: 7 })
    const got = [...first.entries]
    let { remaining } = first
    for (let round = 0; remaining > 0; round++) {
      const last = got.at(-1)!.key
      await Promise.all([
        write(store, `/k/${String(round * 3).padStart(2, '0')}`, 'new'),
        store.transact([remove(`/k/${String(39 - round * 2).padStart(2, '0')}`)]),
        write(store, `${last}-inserted`, 'new'),
        write(store, '/k/zz', 'new'),
      ])
      const page = await store.list('/k/', { at: first.revision, after: last, limit: 7 })
      assert.equal(page.revision, first.revision)
      assert.equal(page.remaining, Math.max(0, remaining - 7))
      ;({ remaining } = page)
      got.push(...page.entries)
    }
    assert.deepEqual(shown(got), expected)
  })
}

function refusing(open: OpenStore): void {
  test('a revision that has not happened cannot be listed or watched', async () => {
    const store = await open()
    await write(store, 'a', '1')
    await assert.rejects(store.list('', { at: 2 }), FutureRevision)
    await assert.rejects(
      store.watch('', 2, () => {}),
      FutureRevision,
    )
    await assert.rejects(store.compact(2), FutureRevision)
    await assert.rejects(store.list('', { at: NaN }), FutureRevision)
    await assert.rejects(store.list('', { at: -1 }), Compacted)
  })

  test('10 000 entries', async () => {
    const store = await open()
    const key = (i: number) => `/k/${(i * 7919) % 10_000}`
    await Promise.all(Array.from({ length: 10_000 }, (_, i) => store.transact([put(key(i), `${i}`, 'absent')])))
    assert.equal(store.count('/k/'), 10_000)
    const { entries } = await store.list('/k/')
    assert.deepEqual(
      entries.map((entry) => entry.key),
      Array.from({ length: 10_000 }, (_, i) => `/k/${i}`).toSorted(),
    )
    for (let i = 0; i < 10_000; i += 97) assert.equal(text(store.get(key(i))!.value), `${i}`)
    assert.deepEqual((await store.list('', { at: 5000 })).entries.length, 5000)
  })
}

function watching(open: OpenStore): void {
  test('a watch tells type, value and previous value, one call per transaction', async () => {
    const store = await open()
    const { calls, listener } = recorder()
    await store.watch('/k/', 0, listener)
    await write(store, '/k/a', '1')
    await store.transact([put('/k/a', '2'), put('/other', 'x'), put('/k/b', '1')])
    await write(store, '/other', 'y')
    await store.transact([remove('/k/a')])
    await write(store, '/k/a', '3')
    assert.deepEqual(calls, [
      ['1 put /k/a 1 ()'],
      ['2 put /k/a 2 (1)', '2 put /k/b 1 ()'],
      ['4 delete /k/a 2 (2)'],
      ['5 put /k/a 3 ()'],
    ])
  })

  test('a watch that starts in the past gets what it missed before its promise settles', async () => {
    const store = await open()
    for (let i = 1; i <= 5; i++) await write(store, `k${i}`, `${i}`)
    const { calls, listener } = recorder()
    await store.watch('', 2, listener)
    assert.deepEqual(calls, [['3 put k3 3 ()'], ['4 put k4 4 ()'], ['5 put k5 5 ()']])
    await write(store, 'k6', '6')
    assert.deepEqual(calls.at(-1), ['6 put k6 6 ()'])
  })
}

function watchingLive(open: OpenStore): void {
  test('watches that start while writers run see every change exactly once', async () => {
    const store = await open()
    const writers = Array.from({ length: 400 }, (_, i) => () => store.transact([put(`k${i % 13}`, `${i}`)]))
    const watches: { from: number; seen: number[] }[] = []
    const starts: Promise<unknown>[] = []
    for (const [i, writer] of writers.entries()) {
      const written = writer()
      if (i % 5 === 0) {
        const watch = { from: Math.max(0, store.revision - (i % 60)), seen: [] as number[] }
        watches.push(watch)
        starts.push(store.watch('', watch.from, (changes) => watch.seen.push(...changes.map((c) => c.revision))))
      }
      if (i % 11 === 0) await written
    }
    await Promise.all(starts)
    await write(store, 'last', '')
    for (const { from, seen } of watches) {
      assert.deepEqual(
        seen,
        Array.from({ length: 401 - from }, (_, i) => from + 1 + i),
      )
    }
  })

  test('a change is readable when its watcher hears of it, and its writer learns of it afterwards', async () => {
    const store = await open()
    const order: string[] = []
    await store.watch('', 0, ([change]) => order.push(`watched ${change!.revision} at ${store.revision}`))
    await Promise.all([
      write(store, 'a', '1').then(() => order.push('wrote 1')),
      write(store, 'b', '1').then(() => order.push('wrote 2')),
    ])
    assert.ok(order.indexOf('watched 1 at 1') < order.indexOf('wrote 1'), order.join())
    assert.ok(order.indexOf('watched 2 at 2') < order.indexOf('wrote 2'), order.join())
  })

  test('a watch started by a listener gets nothing twice', async () => {
    const store = await open()
    const inner = recorder()
    await store.watch('', 0, ([change]) => {
      if (change!.revision === 1) void store.watch('', 0, inner.listener)
    })
    await write(store, 'a', '1')
    await write(store, 'b', '1')
    assert.deepEqual(inner.calls, [['1 put a 1 ()'], ['2 put b 1 ()']])
  })

  test('a closed watch hears nothing more', async () => {
    const store = await open()
    const { calls, listener } = recorder()
    const other = recorder()
    const subscription = await store.watch('', 0, listener)
    await store.watch('', 0, other.listener)
    await write(store, 'a', '1')
    subscription.close()
    subscription.close()
    await write(store, 'a', '2')
    assert.equal(calls.length, 1)
    assert.equal(other.calls.length, 2)
  })
}

function forgetting(open: OpenStore): void {
  test('compaction forgets history and never current values', async () => {
    const store = await open()
    for (let i = 1; i <= 6; i++) await write(store, `k${i % 2}`, `${i}`)
    await store.transact([put('gone', '')])
    await store.transact([remove('gone')])
    await store.compact(5)
    assert.equal(store.floor, 5)
    await assert.rejects(store.list('', { at: 4 }), Compacted)
    await assert.rejects(
      store.watch('', 4, () => {}),
      Compacted,
    )
    assert.deepEqual(shown((await store.list('', { at: 5 })).entries), ['k0=4@4', 'k1=5@5'])
    assert.deepEqual(shown((await store.list('')).entries), ['k0=6@6', 'k1=5@5'])
    const { calls, listener } = recorder()
    await store.watch('', 5, listener)
    assert.deepEqual(calls, [['6 put k0 6 (4)'], ['7 put gone  ()'], ['8 delete gone  ()']])
    await store.compact(3)
    assert.equal(store.floor, 5)
    await store.compact(8)
    assert.deepEqual(shown((await store.list('', { at: 8 })).entries), ['k0=6@6', 'k1=5@5'])
    assert.equal(await write(store, 'k1', '9'), 9)
  })

  test('history beyond the window is forgotten by itself', async () => {
    const store = await open({ history: { revisions: 100, ageMs: Infinity } })
    for (let i = 0; i < 300 || store.floor < 150; i++) await write(store, `k${i % 3}`, `${i}`)
    assert.ok(store.revision - store.floor >= 100, 'the window itself is kept')
    await assert.rejects(store.list('', { at: 10 }), Compacted)
    assert.equal(store.count(''), 3)
  })
}

function closing(open: OpenStore): void {
  test('close waits for the writes under way and refuses later ones', async () => {
    const store = await open()
    const outcomes = Promise.all(Array.from({ length: 20 }, (_, i) => store.transact([put(`k${i}`, '')])))
    await store.close()
    assert.equal((await outcomes).filter(({ ok }) => ok).length, 20)
    await assert.rejects(store.transact([put('a', '1')]), StoreUnavailable)
    await store.close()
  })
}
