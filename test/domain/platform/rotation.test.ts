import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Application, type ApplicationSpec } from '#domain/kinds/application/application.ts'
import type { Condition, Resource } from '#domain/object.ts'

const NOW = '2026-06-01T00:00:00Z'
const spec: ApplicationSpec = {
  team: 'g--t',
  teamEmail: 't@example.com',
  zone: { name: 'z', namespace: 'e' },
  needsClient: true,
  needsConsumer: true,
  secret: '$<one>',
}
const inProgress: Condition = {
  type: 'SecretRotation',
  status: 'False',
  reason: 'InProgress',
  message: '',
  lastTransitionTime: NOW,
}

const app = (s: ApplicationSpec, conditions: readonly Condition[] = []): Resource<ApplicationSpec, any> => ({
  apiVersion: 'application.cp.ei.vendor.de/v1',
  kind: 'Application',
  metadata: { name: 'a', namespace: 'e--g--t' },
  spec: s,
  status: { conditions },
})

const write = (after: ApplicationSpec, before?: Resource<ApplicationSpec, any>) =>
  Application.admit!({
    operation: before === undefined ? 'create' : 'update',
    object: app(after),
    old: before,
    user: { name: 'ann', groups: [] },
    now: NOW,
  })

test('a replaced secret is set aside with the time of its replacement', () => {
  const { object } = write({ ...spec, secret: '$<two>' }, app(spec))
  assert.equal(object.spec.rotatedSecret, '$<one>')
  assert.equal(object.spec.rotatedAt, NOW)
})

test('an unchanged secret leaves the rotation as it was, whatever the client sends', () => {
  const before = app({ ...spec, rotatedSecret: '$<zero>', rotatedAt: '2026-01-01T00:00:00Z' })
  for (const sent of [spec, { ...spec, rotatedSecret: '$<evil>', rotatedAt: '2099-01-01T00:00:00Z' }]) {
    const { object } = write(sent, before)
    assert.equal(object.spec.rotatedSecret, '$<zero>')
    assert.equal(object.spec.rotatedAt, '2026-01-01T00:00:00Z')
  }
})

test('a new application has nothing to set aside', () => {
  const { object } = write({ ...spec, rotatedSecret: '$<evil>', rotatedAt: NOW })
  assert.equal(object.spec.rotatedSecret, undefined)
  assert.equal(object.spec.rotatedAt, undefined)
})

test('a rotation is refused while the last one is in progress; other changes are not', () => {
  assert.ok(write({ ...spec, secret: '$<two>' }, app(spec, [inProgress])).forbidden)
  assert.equal(write({ ...spec, teamEmail: 'x@example.com' }, app(spec, [inProgress])).forbidden, undefined)
})
