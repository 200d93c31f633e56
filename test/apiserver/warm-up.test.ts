import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warmUpWhile } from '#apiserver/warm-up.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { createRegistry } from '#registry/create-registry.ts'
import type { Registry } from '#registry/registry.ts'
import { openMemoryStore } from '#store/memory.ts'

const empty = (): Registry => createRegistry({ store: openMemoryStore(), kinds: KINDS, secretKey: new Uint8Array(32) })

test('while the store is read, writes are tried out: a create and patches, as the first ones will be', async () => {
  const store = Promise.withResolvers<void>()
  assert.deepEqual(await warmUpWhile(store.promise, empty), [201, 200, 200])
  store.resolve()
})

test('a store that is there at once is not kept waiting', async () => {
  assert.deepEqual(await warmUpWhile(Promise.resolve(), empty), [])
  assert.deepEqual(await warmUpWhile(Promise.reject(new Error('no store')), empty), [])
})
