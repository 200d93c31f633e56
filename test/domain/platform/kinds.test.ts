import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KINDS } from '#domain/kinds/index.ts'
import { Group } from '#domain/kinds/organization/group.ts'
import { Team } from '#domain/kinds/organization/team.ts'
import type { Schema } from '#domain/schema.ts'
import { validate } from '#domain/structural.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'

const user = { name: 'ann', groups: [] }

function undocumented(schema: Schema, path: string): readonly string[] {
  const own = Object.entries(schema.properties ?? {})
  const inner = [...own, ...(schema.items === undefined ? [] : [['[]', schema.items] as const])]
  return [
    ...own.filter(([key, s]) => s.doc === undefined && key !== 'spec').map(([key]) => `${path}.${key}`),
    ...inner.flatMap(([key, s]) => undocumented(s, `${path}.${key}`)),
  ]
}

test('every field of every kind says what it is', () => {
  const missing = KINDS.flatMap((k) => [
    ...undocumented(k.spec, `${k.kind}.spec`),
    ...undocumented(k.status, `${k.kind}.status`),
  ])
  assert.deepEqual(missing, [])
})

test('kinds are listed once, with plural names of their own', () => {
  assert.equal(new Set(KINDS.map((k) => `${k.group}/${k.kind}`)).size, KINDS.length)
  assert.equal(new Set(KINDS.map((k) => `${k.group}/${k.plural}`)).size, KINDS.length)
})

const SECRETS: Readonly<Record<string, readonly string[]>> = {
  Application: ['spec.rotatedSecret', 'spec.secret', 'status.clientSecret', 'status.rotatedClientSecret'],
  Client: ['spec.clientSecret', 'spec.rotatedClientSecret'],
  EventStore: ['spec.clientSecret'],
  Gateway: ['spec.admin.clientSecret', 'spec.redis.password'],
  IdentityProvider: ['spec.adminPassword'],
  Realm: ['status.adminPassword'],
  Team: ['spec.secret'],
  Zone: ['spec.gateway.admin.clientSecret', 'spec.identityProvider.admin.password', 'spec.redis.password'],
}

function secrets(schema: Schema, path: string): readonly string[] {
  if (schema.secret !== undefined) return [path]
  return Object.entries(schema.properties ?? {}).flatMap(([key, s]) => secrets(s, `${path}.${key}`))
}

for (const [name, expected] of Object.entries(SECRETS)) {
  test(`the secrets of ${name} are marked (decisions §5)`, () => {
    const kind = KINDS.find((k) => k.kind === name)!
    assert.deepEqual([...secrets(kind.spec, 'spec'), ...secrets(kind.status, 'status')].toSorted(), expected)
  })
}

const admitted = (kind: typeof Group | typeof Zone, name: string) =>
  kind.admit!({
    operation: 'create',
    object: { apiVersion: '', kind: kind.kind, metadata: { name }, spec: {} as never },
    old: undefined,
    user,
    now: '',
  })

test('zones and groups have names that can be joined by --', () => {
  for (const kind of [Group, Zone]) {
    for (const name of ['a', 'a-b', 'a1-b2']) assert.deepEqual(admitted(kind, name).errors ?? [], [], name)
    for (const name of ['a--b', '-a', 'a-', 'A', 'a.b'])
      assert.equal(admitted(kind, name).errors?.[0]?.field, 'metadata.name', name)
  }
})

test('a team is named after its group and lists nobody twice', () => {
  const write = (name: string, emails: readonly string[]) =>
    Team.admit!({
      operation: 'create',
      object: {
        apiVersion: '',
        kind: 'Team',
        metadata: { name },
        spec: {
          group: 'eni',
          name: 'pandora',
          email: 't@example.com',
          members: emails.map((email) => ({ name: 'n', email })),
        },
      },
      old: undefined,
      user,
      now: '',
    }).errors?.map((e) => e.field)
  assert.deepEqual(write('pandora', []), ['metadata.name'])
  assert.deepEqual(write('eni--pandora', ['a@example.com', 'A@EXAMPLE.com']), ['spec.members[1].email'])
  assert.deepEqual(write('eni--pandora', ['a@example.com', 'b@example.com']), [])
})

test('a route has a type, an upstream and a gateway', () => {
  const causes = validate(Route, { spec: { type: 'primary', backend: { upstreams: [] } } })
  assert.deepEqual(causes.map((c) => c.field).toSorted(), ['spec.backend.upstreams', 'spec.gatewayRef', 'spec.type'])
})
