import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { StoreUnavailable } from '#store/store.ts'
import type { Outcome, Store } from '#store/store.ts'
import { accepted, bytes, put, recorder, shown, text, write } from '#test/contract/store-values.ts'
import { smallDisk } from '#test/support/small-disk.ts'
import { limitFileSize, places } from './places.ts'

const { place, open } = places()
const MB = 1 << 20

/** Writes 10 kB values until one is refused; gives the number acknowledged. */
async function fill(store: Store, prefix: string): Promise<number> {
  for (let i = 0; ; i++) {
    try {
      await write(store, `${prefix}${i}`, `${i}`.padEnd(10_000))
    } catch (error) {
      assert.ok(error instanceof StoreUnavailable, String(error))
      return i
    }
  }
}

function refusal(outcome: Promise<Outcome>): Promise<unknown> {
  return outcome.then(
    () => assert.fail('must be refused'),
    (error: unknown) => error,
  )
}

test('a full store refuses writes, serves reads, and takes writes again once there is room', async () => {
  const path = place()
  const told: string[] = []
  const store = await open({ path, maxBytes: MB, onWrites: (failure) => told.push(failure?.code ?? 'accepted') })
  const { calls, listener } = recorder()
  await store.watch('', 0, listener)
  await write(store, 'hot', 'x'.repeat(300_000))
  await write(store, 'hot', 'y')
  const count = await fill(store, 'k')
  assert.ok(count > 20)
  assert.equal(store.count('k'), count)
  assert.equal(text(store.get(`k${count - 1}`)!.value).trim(), `${count - 1}`)
  assert.equal((await store.list('k')).entries.length, count)
  assert.equal((await store.list('', { at: 2 })).entries.length, 1)
  assert.equal(calls.length, count + 2)
  assert.deepEqual(told, ['ENOSPC'])
  assert.equal(await fill(store, 'more'), 0)
  assert.deepEqual(told, ['ENOSPC', 'ENOSPC'])

  // Forgetting the large value's history makes room inside the file.
  await store.compact(store.revision)
  const last = store.revision
  const revision = await write(store, 'after', 'z'.repeat(100_000))
  assert.ok(revision > last + 1, 'the revisions of the refused writes are not given again')
  assert.equal(calls.length, count + 3)
  await write(store, 'and again', '')
  assert.deepEqual(told, ['ENOSPC', 'ENOSPC', 'accepted'])
  const expected = shown(store.entries(''))
  await store.close()
  const again = await open({ path })
  assert.deepEqual(shown(again.entries('')), expected)
  await again.close()
})

test('what was decided on top of a failed write is decided again', async () => {
  const store = await open({ path: place(), maxBytes: MB })
  await write(store, 'there', '1')
  const failing = refusal(store.transact([put('a', 'x'.repeat(2 * MB)), put('there', '2', 1)]))
  await turn()
  // The failing write is under way: these rest on it.
  const revisions: number[] = []
  const encode = (revision: number) => {
    revisions.push(revision)
    return bytes(`r${revision}`)
  }
  const refusedAtFirst = store.transact([{ type: 'put', key: 'a', expect: 'absent', encode }])
  const acceptedAtFirst = store.transact([put('there', '3', 2)])
  const untouched = store.transact([{ type: 'put', key: 'b', expect: 'absent', encode }])
  const onTop = store.transact([put('b', '2', 'absent')])
  assert.ok((await failing) instanceof StoreUnavailable)
  const first = await accepted(refusedAtFirst)
  assert.ok(first > 3, 'no revision is given twice')
  assert.deepEqual(await acceptedAtFirst, {
    ok: false,
    failed: 0,
    current: { key: 'there', value: bytes('1'), revision: 1 },
  })
  const second = await accepted(untouched)
  assert.equal((await onTop).ok, false)
  assert.deepEqual(shown(store.entries('')), [`a=r${first}@${first}`, `b=r${second}@${second}`, 'there=1@1'])
  assert.deepEqual(revisions.toSorted((x, y) => x - y).slice(-2), [first, second])
  await store.close()
})

test('rows that a failed write left on disk after all are removed before the next write', async () => {
  const path = place()
  const store = await open({ path, maxBytes: MB })
  const revision = await write(store, 'a', '1')
  await refusal(store.transact([put('a', 'x'.repeat(2 * MB))]))
  // The failed connection is closed, so this is what a commit looks like that was reported as failed but reached the disk.
  const disk = new DatabaseSync(path)
  disk.exec(`INSERT INTO log SELECT (${revision + 1} << 20), id, at, key, CAST('ghost' AS BLOB) FROM log`)
  disk.close()
  assert.equal(text(store.get('a')!.value), '1')
  await write(store, 'b', '2')
  const expected = shown(store.entries(''))
  await store.close()
  const again = await open({ path })
  assert.deepEqual(shown(again.entries('')), expected)
  const { calls, listener } = recorder()
  await again.watch('', 0, listener)
  assert.equal(calls.length, 2)
  await again.close()
})

test('an I/O error: writes are refused until the disk works again, and nothing acknowledged is lost', async (t) => {
  const path = place()
  const told = new Set<string | undefined>()
  const store = await open({ path, onWrites: (failure) => failure && told.add(failure.code) })
  await write(store, 'before', 'x')
  const large = put('large', 'x'.repeat(200_000))
  // The kernel refuses to let any file of this process grow beyond this, which SQLite reports as an I/O error.
  if (!limitFileSize(`${64 * 1024}`)) return t.skip('there is no prlimit here')
  try {
    const count = await fill(store, 'a')
    for (let i = 0; i < 3; i++) assert.ok((await refusal(store.transact([large]))) instanceof StoreUnavailable)
    assert.equal(store.count(''), count + 1)
    assert.deepEqual([...told], ['EIO'])
    limitFileSize('unlimited')
    await accepted(store.transact([large]))
    const seen = recorder()
    await store.watch('', 0, seen.listener)
    assert.equal(seen.calls.length, count + 2)
    const expected = shown(store.entries(''))
    await store.close()
    const again = await open({ path })
    assert.deepEqual(shown(again.entries('')), expected)
    await again.close()
  } finally {
    limitFileSize('unlimited')
  }
})

test('a full disk: nothing acknowledged is lost and no restart is needed', async (t) => {
  const path = place()
  const unmount = smallDisk(dirname(path), '6m')
  if (!unmount) return t.skip('mounting a small tmpfs is not permitted here')
  try {
    const ballast = join(dirname(path), 'ballast')
    writeFileSync(ballast, Buffer.alloc(2 * MB))
    const store = await open({ path })
    const first = await fill(store, 'a')
    assert.ok(first > 20)
    assert.equal(await fill(store, 'b'), 0)
    assert.equal(store.count(''), first)
    rmSync(ballast)
    const second = await fill(store, 'c')
    assert.ok(second > 20, 'writes go on by themselves')
    const seen = recorder()
    await store.watch('', 0, seen.listener)
    assert.equal(seen.calls.length, first + second)
    const expected = shown(store.entries(''))
    await store.close()
    const again = await open({ path })
    assert.deepEqual(shown(again.entries('')), expected)
    await again.close()
  } finally {
    unmount()
  }
})
