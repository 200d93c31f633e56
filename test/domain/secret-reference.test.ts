import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '#domain/kinds/identity/client.ts'
import { isBorrowed } from '#domain/secret-reference.ts'

const self = { namespace: 'prod--b', name: 'eventstore' }
const ID = 'AAAAAAAAAAAAAAAAAAAAAA'

test('a secret is borrowed when the reference to it names another object', () => {
  for (const owner of [
    'EventConfig/prod--b/prod/spec.mesh.client.clientSecret',
    'Client/prod--b/eventstore2/spec.clientSecret',
    'Client/prod--c/eventstore/spec.clientSecret',
    'Client//eventstore/spec.clientSecret',
    'EventConfig/prod--b/eventstore/spec.list[0].x',
  ])
    assert.equal(isBorrowed(`$<${owner}/${ID}>`, Client, self), true, owner)
})

test('a secret is not borrowed when the reference names the object itself, or nobody', () => {
  assert.equal(isBorrowed(`$<Client/prod--b/eventstore/spec.clientSecret/${ID}>`, Client, self), false)
  for (const text of [undefined, '', 'hugo', '$<>', '$<simulated>', 'a/b/c/d', '$<Client/x>', '$<a/b/c/d'])
    assert.equal(isBorrowed(text, Client, self), false, text)
})
