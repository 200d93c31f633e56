import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  approvalName,
  hash,
  hashOf,
  isReservedClientId,
  isReservedRoute,
  labelValue,
  nameValue,
  normalize,
  publisherName,
  sseRouteName,
} from '#domain/names.ts'

test('normalising replaces separators, lowers and trims, and touches nothing else', () => {
  assert.equal(normalize('/Eni/My_API/v1/'), 'eni-my-api-v1')
  assert.equal(normalize('/eni//foo/v1'), 'eni--foo-v1')
  assert.equal(normalize('orders.created.v1'), 'orders.created.v1')
  assert.equal(normalize('\\a b\\'), 'a-b')
})

test('a long label keeps both ends around its hash', () => {
  const long = 'This is a very long value/with some_unwanted\\characters that needs to be normalized and shortened'
  assert.equal(labelValue(long), 'this-is-a-very-l.679cb75c5.ed-and-shortened')
  assert.equal(labelValue('/eni/foo/v1'), 'eni-foo-v1')
})

test('a long name is shortened without a separator and stays within 253', () => {
  const name = nameValue('x'.repeat(200) + 'y'.repeat(200))
  assert.equal(name, `${'x'.repeat(16)}${hash('x'.repeat(200) + 'y'.repeat(200))}${'y'.repeat(16)}`)
  assert.equal(nameValue('z'.repeat(253)), 'z'.repeat(253))
})

test('the hash of an object ignores the order of keys and of scopes, not that of other lists', () => {
  assert.equal(hashOf({ a: 1, scopes: ['x', 'y'] }), hashOf({ scopes: ['y', 'x'], a: 1 }))
  assert.equal(hashOf({ a: 1, b: undefined }), hashOf({ a: 1 }))
  assert.notEqual(hashOf({ list: ['x', 'y'] }), hashOf({ list: ['y', 'x'] }))
  assert.notEqual(hashOf({ a: 1 }), hashOf({ a: 2 }))
  assert.notEqual(hashOf(JSON.parse('{"__proto__":1}')), hashOf({}))
})

test('types with a hyphen get a suffix, so that a.b and a-b never share a name', () => {
  assert.equal(sseRouteName('orders.created.v1'), 'sse--orders-created-v1')
  assert.match(sseRouteName('orders-created.v1'), /^sse--orders-created-v1--[0-9a-f]{8}$/)
  assert.equal(publisherName('orders.created.v1'), 'orders.created.v1')
  assert.match(publisherName('orders-created.v1'), /^orders-created\.v1--[0-9a-f]{8}$/)
  assert.notEqual(sseRouteName('a-b'), sseRouteName('a.b'))
})

test('an approval is named after its target', () => {
  assert.equal(approvalName('EventSubscription', 'shop--orders'), 'eventsubscription--shop--orders')
})

test('names of event routes and the client id gateway are reserved', () => {
  for (const name of ['publish', 'callback--z1', 'voyager--z1', 'sse--orders-v1'])
    assert.ok(isReservedRoute(name), name)
  for (const name of ['publish-v1', 'sse', 'callback-z1']) assert.ok(!isReservedRoute(name), name)
  for (const id of ['gateway', '/Gateway_', 'GATEWAY']) assert.ok(isReservedClientId(id), id)
  assert.ok(!isReservedClientId('gateway2'))
})
