import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalize } from '#domain/structural.ts'
import { changed, full, KIND, kindOf, type KindName, type Tree } from './samples.ts'

function warnings(kind: KindName, object: Tree): readonly string[] {
  const normal = normalize(kindOf(kind), object).object
  const admitted = kindOf(kind).admit?.({
    operation: 'create',
    object: normal,
    old: undefined,
    user: { name: 'u', groups: [] },
    now: '2026-01-01T00:00:00Z',
  })
  assert.equal(admitted?.errors, undefined)
  assert.equal(admitted?.forbidden, undefined)
  assert.equal(admitted?.object.spec, normal.spec, 'at most labels are added')
  return admitted?.warnings ?? []
}

/** kind, path, value, and how the one piece of advice begins. */
const ADVICE: readonly (readonly [KindName, string, unknown, string])[] = [
  ['ApiSpecification', 'spec', undefined, 'spec is absent'],
  ['ApiSpecification', 'spec.basepath', '/eni/shop/v2', 'spec.basepath "/eni/shop/v2" does not end in /v1'],
  ['ApiSpecification', 'spec.basepath', '/', 'spec.basepath "/" does not end in /v1'],
  ['ApiSpecification', 'spec.scopes', ['a', 'b', 'a', 'a'], 'spec.scopes names "a" more than once'],
  ['ApiSubscription', 'spec', undefined, 'spec is absent'],
  ['ApiSubscription', 'spec.apiBasePath', 'x', 'spec.apiBasePath "x" does not start'],
  ['ApiSubscription', 'spec.traffic.failover.zone', [], 'spec.traffic.failover.zone is empty'],
  [
    'ApiSubscription',
    'spec.traffic.failover.zone',
    [{ name: 'aws', namespace: 'prod' }],
    'spec.traffic.failover.zone names',
  ],
  ['ApiSubscription', 'spec.security.m2m.scopes', ['a', 'a'], 'spec.security.m2m.scopes names "a"'],
  ['EventConfig', 'spec.mesh.fullMesh', true, 'spec.mesh.zoneNames has no effect'],
  ['EventConfig', 'spec.mesh.zoneNames', [], 'spec.mesh names no zone'],
  ['EventConfig', 'spec.mesh.zoneNames', ['a', 'a'], 'spec.mesh.zoneNames names "a"'],
  ['EventConfig', 'spec.mesh.client.clientId', 'Gateway', 'spec.mesh.client.clientId "gateway" is reserved'],
  ['EventConfig', 'spec.mesh.client.clientId', 'mesh', 'spec.mesh.client.clientId and spec.local.admin'],
  ['EventExposure', 'spec.eventType', 'orders-created', 'spec.eventType "orders-created" does not end in .v<major>'],
  ['EventExposure', 'spec.scopes[1]', { name: 's', trigger: {} }, 'spec.scopes names "s"'],
  ['EventExposure', 'spec.approval.trustedTeams', ['t', 't'], 'spec.approval.trustedTeams names "t"'],
  ['EventSubscription', 'spec.delivery.callback', undefined, 'spec.delivery.callback is absent'],
  ['EventSubscription', 'spec.delivery.type', 'ServerSentEvent', 'spec.delivery.callback has no effect'],
  ['EventSubscription', 'spec.delivery.eventRetentionTime', '2w', 'spec.delivery.eventRetentionTime "2w" is not known'],
  [
    'EventSubscription',
    'spec.delivery.redeliveriesPerSecond',
    0,
    'spec.delivery.redeliveriesPerSecond 0 sets no limit',
  ],
  ['EventSubscription', 'spec.delivery.retryableStatusCodes', [600], 'spec.delivery.retryableStatusCodes names a code'],
  ['EventSubscription', 'spec.scopes', ['s', 's'], 'spec.scopes names "s"'],
  ['EventType', 'spec.type', 'a.v', 'spec.type "a.v" does not end in .v<major>: end it in .v1 '],
  ['EventType', 'spec.version', '2.0', 'spec.type "de.vendor.order.v1" ends in .v1 but'],
]

for (const [kind, path, value, start] of ADVICE)
  test(`${kind}: accepted with the advice "${start} …"`, () => {
    const [first, ...more] = warnings(kind, changed(kind, path, value))
    assert.ok(first?.startsWith(start), first)
    assert.deepEqual(more, [])
  })

test('a proxy that targets itself is advised', () => {
  const zone = { name: 'z', namespace: 'n' }
  const object = { ...full('EventConfig'), spec: { zone, proxy: { targetZone: zone } } }
  assert.deepEqual(warnings('EventConfig', object), [
    'spec.proxy.targetZone is the zone itself: name the zone that runs the event backend',
  ])
})

for (const kind of Object.keys(KIND) as KindName[])
  test(`${kind}: nothing is advised about a good object, nor about one that is being deleted`, () => {
    assert.deepEqual(warnings(kind, full(kind)), [])
    const leaving = { ...full(kind), metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' } }
    assert.deepEqual(warnings(kind, leaving), [])
  })

test('advice stays short and on one line, whatever was written', () => {
  const object = changed(
    'EventExposure',
    'spec.approval.trustedTeams',
    Array.from({ length: 10 }, (_, i) => `${'x\n'.repeat(500)}${i >> 1}`),
  )
  const texts = warnings('EventExposure', object)
  assert.equal(texts.length, 5)
  for (const text of texts) assert.ok(text.length < 300 && !text.includes('\n'), text)
})
