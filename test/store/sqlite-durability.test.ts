import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compacted } from '#store/store.ts'
import { accepted, bytes, put, recorder, remove, shown, text, write } from '#test/contract/store-values.ts'
import { places } from './places.ts'

const { place, open } = places()

test('a reopened store has everything: values, revisions, floor', async () => {
  const path = place()
  const store = await open({ path })
  const keys = ['', '__proto__', 'a\0b', 'ü\u{1f600}', 'plain']
  for (const key of keys) await write(store, key, `value of ${key}`)
  await store.transact([put('pair/1', ''), put('pair/2', 'x'.repeat(3_000_000)), remove('plain')])
  const binary = Uint8Array.from({ length: 70_000 }, (_, i) => i % 256)
  await store.transact([{ type: 'put', key: 'binary', expect: 'absent', encode: () => binary }])
  const expected = shown(store.entries(''))
  await store.close()

  const again = await open({ path })
  assert.deepEqual(shown(again.entries('')), expected)
  assert.deepEqual(again.get('binary')!.value, binary)
  assert.equal(again.revision, 7)
  assert.equal(again.floor, 0)
  assert.equal(await accepted(again.transact([put('binary', '', 7)])), 8)
  assert.deepEqual(shown((await again.list('', { at: 7 })).entries), expected)
  await again.close()
})

test('a watch resumes across a restart from any revision kept', async () => {
  const path = place()
  const store = await open({ path })
  const whole = recorder()
  await store.watch('', 0, whole.listener)
  for (let i = 0; i < 2500; i += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, j) =>
        store.transact([put(`k${(i + j) % 37}`, `${i + j}`), put('\0nul', 'x'), put('third', '')]),
      ),
    )
  }
  await store.transact([remove('k3'), remove('k4'), put('last', '')])
  await store.close()

  const again = await open({ path })
  for (const from of [0, 1, 999, 2500, 2501]) {
    const { calls, listener } = recorder()
    await again.watch('', from, listener)
    await write(again, 'live', `${from}`)
    assert.deepEqual(calls.slice(0, 2501 - from), whole.calls.slice(from))
    assert.equal(calls[2501 - from]![0]!.split(' ')[2], 'live')
  }
  await again.close()
})

test('a list of the past is exact when the past has to come from disk', async () => {
  const path = place()
  const store = await open({ path })
  const states: string[][] = [[]]
  for (let i = 1; i <= 120; i++) {
    await accepted(
      store.transact(i % 4 === 0 ? [remove(`k${(i - 3) % 11}`), put('count', `${i}`)] : [put(`k${i % 11}`, `${i}`)]),
    )
    states.push(shown(store.entries('')))
  }
  await store.close()
  const again = await open({ path })
  for (const [at, state] of states.entries())
    assert.deepEqual(shown((await again.list('', { at })).entries), state, `at ${at}`)
  await again.close()
})

test('a revision is never given twice, even when everything that had it is deleted and compacted', async () => {
  const path = place()
  const store = await open({ path })
  await write(store, 'a', '1')
  await store.transact([remove('a')])
  await store.compact(2)
  await store.close()
  const again = await open({ path })
  assert.equal(again.revision, 2)
  assert.equal(again.floor, 2)
  assert.equal(again.count(''), 0)
  await assert.rejects(
    again.watch('', 1, () => {}),
    Compacted,
  )
  assert.equal(await write(again, 'a', '2'), 3)
  await again.close()
})

test('history older than its age is forgotten', async () => {
  const path = place()
  const store = await open({ path })
  for (let i = 0; i < 1300; i += 50)
    await Promise.all(Array.from({ length: 50 }, (_, j) => write(store, `k${j}`, `${i}`)))
  await store.close()
  const again = await open({ path, history: { ageMs: 1 } })
  while (again.floor < 1300) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(again.floor, 1300)
  assert.equal(again.count(''), 50)
  await again.close()
})

test('what is under way when the store closes is on disk', async () => {
  const path = place()
  const store = await open({ path })
  const writes = Array.from({ length: 500 }, (_, i) => write(store, `k${i}`, `${i}`))
  await store.close()
  await Promise.all(writes)
  const again = await open({ path })
  assert.equal(again.count('k'), 500)
  assert.equal(text(again.get('k499')!.value), '499')
  assert.deepEqual(again.get('k7')!.value, bytes('7'))
  await again.close()
})
