import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compacted } from '#store/store.ts'
import type { OpenStore } from './store.ts'
import { put, recorder, remove, shown, write } from './store-values.ts'

/** What a store promises to those who watch, and what it forgets. */
export function promisesToWatchers(open: OpenStore): void {
  watching(open)
  watchingLive(open)
  forgetting(open)
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
