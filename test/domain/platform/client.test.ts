import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staticWorld, viewOf } from '#control/world.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import { Realm } from '#domain/kinds/identity/realm.ts'
import type { Resource } from '#domain/object.ts'
import { planClient } from '#domain/plan/client.ts'

const NS = 'poc--z1'
const ISSUER = 'https://issuer.example/auth/realms/poc'

const made = (kind: Kind, name: string, more: Partial<Resource<any, any>>): Resource<any, any> => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name, namespace: NS, uid: name, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {},
  ...more,
})

interface RealmState {
  readonly says: 'True' | 'False'
  /** Of which generation the condition speaks; the realm is at its second. */
  readonly seen: number
  readonly reason?: string
}

function realm({ says, seen, reason = 'Provisioned' }: RealmState): Resource<any, any> {
  const condition = {
    type: 'Ready',
    status: says,
    reason,
    message: '',
    lastTransitionTime: '',
    observedGeneration: seen,
  }
  const plain = made(Realm, 'poc', { status: { issuerUrl: ISSUER, conditions: [condition] } })
  return { ...plain, metadata: { ...plain.metadata, generation: 2 } }
}

const client = (status: object): Resource<any, any> =>
  made(Client, 'app', { spec: { realm: { name: 'poc', namespace: NS }, clientId: 'app' }, status })
const WORKING = client({ issuerUrl: ISSUER })
const NEW = client({})

function ready(self: Resource<any, any>, state: RealmState): string {
  const { conditions, status } = planClient(viewOf(self), staticWorld([self, realm(state)]))
  const said = conditions.find((condition) => condition.type === 'Ready')
  assert.equal(status.issuerUrl, said?.status === 'True' ? ISSUER : undefined)
  return `${said?.status}/${said?.reason}`
}

test('a client that works goes on working while its realm settles: changed, and not looked at yet', () => {
  assert.equal(ready(WORKING, { says: 'True', seen: 1 }), 'True/Provisioned')
})

test('a new client is not built on a realm that settles (§2.2)', () => {
  assert.equal(ready(NEW, { says: 'True', seen: 1 }), 'False/PreconditionNotMet')
})

test('a realm that was looked at and is not ready stops both', () => {
  for (const self of [WORKING, NEW])
    for (const reason of ['PreconditionNotMet', 'SubResourceNotReady'])
      assert.equal(ready(self, { says: 'False', seen: 2, reason }), 'False/PreconditionNotMet')
})

test('a ready realm serves both', () => {
  for (const self of [WORKING, NEW]) assert.equal(ready(self, { says: 'True', seen: 2 }), 'True/Provisioned')
})
