import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreUnavailable } from '#store/store.ts'
import type { OpenStore } from './store.ts'
import { accepted, bytes, put, recorder, remove, shown, text, write } from './store-values.ts'

/** What a store promises to those who write. */
export function promisesToWriters(open: OpenStore): void {
  writing(open)
  transacting(open)
  keeping(open)
  ordering(open)
  closing(open)
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

  test('transactions made together have a revision each, in their order, and a watcher sees them one by one', async () => {
    const store = await open()
    const { calls, listener } = recorder()
    await store.watch('', 0, listener)
    const together = store.transactAll([[put('b', '1', 'absent'), put('c', '1')], [remove('x')], [put('a', '1')]])
    const after = store.transact([put('a', '2', 2)])
    assert.equal(await accepted(together), 2)
    assert.equal(await accepted(after), 3)
    assert.deepEqual(shown(store.entries('')), ['a=2@3', 'b=1@1', 'c=1@1'])
    assert.deepEqual(calls, [['1 put b 1 ()', '1 put c 1 ()'], ['2 put a 1 ()'], ['3 put a 2 (1)']])
  })

  test('transactions made together all happen, or none does', async () => {
    const store = await open()
    await write(store, 'a', '1')
    const refused = await store.transactAll([
      [put('b', '1')],
      [put('c', '1'), put('a', '2', 'absent')],
      [put('d', '1')],
    ])
    assert.equal(refused.ok, false)
    assert.equal(!refused.ok && refused.failed, 2)
    assert.equal(!refused.ok && refused.current?.revision, 1)
    const throws = (): never => {
      throw new Error('no bytes')
    }
    const broken = store.transactAll([[put('b', '1')], [{ type: 'put', key: 'c', expect: 'any', encode: throws }]])
    await assert.rejects(broken, /no bytes/)
    await assert.rejects(store.transactAll([[put('b', '1')], [put('b', '2')]]), /name a key only once/)
    assert.deepEqual(shown(store.entries('')), ['a=1@1'])
    assert.equal(await write(store, 'b', '1'), 2)
    assert.equal(await accepted(store.transactAll([])), 2)
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
