import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compacted, FutureRevision } from '#store/store.ts'
import type { OpenStore } from './store.ts'
import { put, remove, shown, text, write } from './store-values.ts'

/** What a store promises to those who list. */
export function promisesToReaders(open: OpenStore): void {
  listing(open)
  refusing(open)
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

  test('a snapshot stays what it was while everything is replaced and removed', async () => {
    const store = await open()
    // More than a slab of them, so that it is emptied and its values move.
    const large = 'x'.repeat(50_000)
    for (let i = 0; i < 30; i++) await write(store, `/k/${String(i).padStart(2, '0')}`, `${i} ${large}`)
    await write(store, '/k/empty', '')
    await write(store, '/l', 'not of it')
    const expected = shown(store.entries('/k/'))
    const snapshot = store.snapshot('/k/')
    assert.equal(snapshot.revision, store.revision)
    assert.equal(snapshot.count, 31)
    assert.equal(
      snapshot.bytes,
      expected.reduce((sum, line) => sum + line.split('=')[1]!.split('@')[0]!.length, 0),
    )
    const entries = snapshot[Symbol.iterator]()
    const got = [entries.next().value!]
    for (let i = 0; i < 25; i++) await write(store, `/k/${String(i).padStart(2, '0')}`, `new ${large}`)
    await store.transact([remove('/k/27'), remove('/k/empty')])
    await write(store, '/k/28-inserted', 'new')
    for (const entry of { [Symbol.iterator]: () => entries }) got.push(entry)
    assert.deepEqual(shown(got), expected)
    assert.deepEqual(shown(snapshot), expected, 'whoever looks again sees the same')
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
