import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventType } from '#domain/kinds/event/event-type.ts'
import type { Resource } from '#domain/object.ts'
import type { Registry } from '#registry/registry.ts'
import { asAlice, body, eventType, fixture, refusal, textOf } from './fixture.ts'

const key = { namespace: 'd', name: 'a' }
const status = { active: true }
const asStatus = { ...asAlice, subresource: 'status' } as const

async function start(
  metadata = {},
): Promise<{ registry: Registry; object: Resource; readonly revision: () => number }> {
  const { registry, store } = fixture()
  const { resource } = await registry.create(EventType, 'd', body(eventType('a', { metadata })), asAlice)
  return { registry, object: resource, revision: () => store.revision }
}

const change = (object: Resource, spec: object, metadata: object = {}): Record<string, unknown> => ({
  ...object,
  spec: { ...(object.spec as object), ...spec },
  metadata: { ...object.metadata, ...metadata },
})

describe('update', () => {
  it('replaces labels and spec, counts the generation for the spec alone and keeps what the server owns', async () => {
    const { registry, object } = await start({ labels: { a: '1' } })
    const labels = await registry.update(EventType, key, body(change(object, {}, { labels: { b: '2' } })), asAlice)
    assert.deepEqual(labels.resource.metadata.labels, { b: '2' })
    assert.equal(labels.resource.metadata.generation, 1)
    const owned = { generation: 99, creationTimestamp: '2001-01-01T00:00:00Z', labels: { b: '2' } }
    const spec = await registry.update(EventType, key, body(change(labels.resource, { version: '2' }, owned)), asAlice)
    assert.equal(spec.resource.metadata.generation, 2)
    assert.equal(spec.resource.metadata.creationTimestamp, object.metadata.creationTimestamp)
    assert.equal(spec.resource.metadata.uid, object.metadata.uid)
    assert.ok(spec.revision > labels.revision)
  })

  it('ignores the status, and a status write ignores everything else (§1.1)', async () => {
    const { registry, object } = await start()
    const first = await registry.update(EventType, key, body({ ...object, status }), asAlice)
    assert.equal(first.resource.status, undefined)
    const written = await registry.update(
      EventType,
      key,
      body({ ...change(object, { version: '9' }, { labels: { x: 'y' } }), status }),
      asStatus,
    )
    assert.deepEqual(written.resource.status, status)
    assert.deepEqual(written.resource.spec, object.spec)
    assert.equal(written.resource.metadata.labels, undefined)
    assert.equal(written.resource.metadata.generation, 1)
    const main = await registry.update(
      EventType,
      key,
      body({ ...change(written.resource, { version: '3' }), status: { active: false } }),
      asAlice,
    )
    assert.deepEqual(main.resource.status, status)
  })

  it('of nothing new writes nothing', async () => {
    const { registry, object, revision } = await start({ labels: { a: '1' } })
    const before = revision()
    const same = await registry.update(EventType, key, body(object), asAlice)
    assert.equal(same.revision, before)
    assert.equal(same.resource.metadata.resourceVersion, String(before))
    const withoutDefault = change(
      object,
      { category: undefined },
      { managedFields: [], annotations: {}, finalizers: [] },
    )
    await registry.update(EventType, key, body(withoutDefault), asAlice)
    assert.equal(revision(), before)
  })

  it('validates the status with its own schema', async () => {
    const { registry, object } = await start()
    const error = await refusal(
      registry.update(EventType, key, body({ ...object, status: { active: 'yes' } }), asStatus),
    )
    assert.equal(error.code, 422)
    assert.equal(error.details?.causes?.[0]?.field, 'status.active')
  })

  it('stores nothing in a dry run but shows the result', async () => {
    const { registry, object, revision } = await start()
    const before = revision()
    const dry = await registry.update(EventType, key, body(change(object, { version: '7' })), {
      ...asAlice,
      dryRun: true,
    })
    assert.equal((dry.resource.spec as { version: string }).version, '7')
    assert.equal(dry.resource.metadata.generation, 2)
    assert.equal(revision(), before)
  })

  const cases: readonly (readonly [string, (o: Resource) => unknown, number, RegExp])[] = [
    [
      'a stale version',
      (o) => change(o, {}, { resourceVersion: '1' }),
      409,
      /the object has been modified; please apply your changes/,
    ],
    [
      'no version',
      (o) => change(o, {}, { resourceVersion: undefined }),
      422,
      /metadata.resourceVersion: Invalid value: 0x0: must be specified for an update/,
    ],
    ['version 0', (o) => change(o, {}, { resourceVersion: '0' }), 422, /must be specified/],
    ['a version that is no number', (o) => change(o, {}, { resourceVersion: 'abc' }), 400, /resourceVersion/],
    ['a version far away', (o) => change(o, {}, { resourceVersion: '9'.repeat(40) }), 409, /modified/],
    ['another uid', (o) => change(o, {}, { uid: 'other' }), 409, /UID in precondition: other/],
    [
      'another name',
      (o) => change(o, {}, { name: 'b' }),
      400,
      /name of the object \(b\) does not match the name on the URL \(a\)/,
    ],
    ['no name', (o) => change(o, {}, { name: undefined }), 400, /undeterminable/],
    ['another namespace', (o) => change(o, {}, { namespace: 'e' }), 400, /namespace/],
    [
      'a deletionTimestamp',
      (o) => change(o, {}, { deletionTimestamp: '2030-01-01T00:00:00Z' }),
      422,
      /deletionTimestamp.*field is immutable/,
    ],
    ['an invalid spec', (o) => change(o, { version: 'x' }), 422, /spec.version/],
  ]
  for (const [what, make, code, message] of cases) {
    it(`refuses ${what}: ${code}`, async () => {
      const { registry, object } = await start()
      await registry.update(EventType, key, body(change(object, { version: '2' })), asAlice)
      const current = registry.get(EventType, key).resource
      const error = await refusal(registry.update(EventType, key, body(make(current)), asAlice))
      assert.equal(error.code, code)
      assert.match(error.message, message)
      assert.equal(registry.get(EventType, key).resource, current)
    })
  }

  it('of a missing object: 404', async () => {
    const { registry, object } = await start()
    const error = await refusal(
      registry.update(EventType, { namespace: 'd', name: 'b' }, body(change(object, {}, { name: 'b' })), asAlice),
    )
    assert.equal(error.message, 'eventtypes.event.cp.ei.vendor.de "b" not found')
  })

  it('loses no increment among concurrent writers', async () => {
    const { registry } = await start()
    const increment = async (): Promise<void> => {
      for (;;) {
        const current = registry.get(EventType, key).resource
        const version = String(Number((current.spec as { version: string }).version.split('.')[0]) + 1)
        try {
          await registry.update(EventType, key, body(change(current, { version })), asAlice)
          return
        } catch (error) {
          assert.match((error as Error).message, /has been modified/)
        }
      }
    }
    await Promise.all(Array.from({ length: 40 }, increment))
    assert.match(textOf(registry.get(EventType, key).bytes), /"version":"41"/)
    assert.equal(registry.get(EventType, key).resource.metadata.generation, 41)
  })
})
