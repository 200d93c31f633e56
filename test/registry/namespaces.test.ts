import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import { openMemoryStore } from '#store/memory.ts'
import { asAlice, body, eventType, fixture, refusal, type Fixture } from './fixture.ts'
import { switchedStore } from './switched-store.ts'

const d = { namespace: '', name: 'd' }
const specification = { apiVersion: 'rover.cp.ei.vendor.de/v1', kind: 'ApiSpecification', metadata: { name: 's' } }
const release = { type: 'merge', value: { metadata: { finalizers: null } }, duplicates: [] } as const

async function start(store = openMemoryStore()): Promise<Fixture> {
  const made = fixture(store)
  await made.registry.create(
    EventType,
    'd',
    body(eventType('held', { metadata: { finalizers: ['example.com/hold'] } })),
    asAlice,
  )
  await made.registry.create(ApiSpecification, 'd', body(specification), asAlice)
  await made.registry.create(EventType, 'e', body(eventType('other')), asAlice)
  return made
}

describe('namespaces', () => {
  it('can be created, with the phase and label Kubernetes gives them', async () => {
    const { registry } = fixture()
    const { resource } = await registry.create(
      Namespace,
      '',
      body({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } }),
      asAlice,
    )
    assert.deepEqual(resource.status, { phase: 'Active' })
    assert.deepEqual(resource.spec, { finalizers: ['kubernetes'] })
    assert.deepEqual(resource.metadata.labels, { 'kubernetes.io/metadata.name': 'x' })
    assert.equal(resource.metadata.namespace, undefined)
  })

  it('have names of at most 63 characters without dots', async () => {
    const { registry } = fixture()
    for (const name of ['a.b', 'A', 'a'.repeat(64)]) {
      const error = await refusal(
        registry.create(Namespace, '', body({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }), asAlice),
      )
      assert.equal(error.code, 422)
    }
  })

  it('deleted: are emptied, let nothing in meanwhile, and go when the last finalizer has gone', async () => {
    const { registry } = await start()
    const { gone, resource } = await registry.delete(Namespace, d, {}, asAlice)
    assert.equal(gone, false)
    assert.deepEqual(resource.status, { phase: 'Terminating' })
    await registry.settled()
    assert.throws(() => registry.get(ApiSpecification, { namespace: 'd', name: 's' }), /not found/)
    assert.ok(registry.get(EventType, { namespace: 'd', name: 'held' }).resource.metadata.deletionTimestamp)
    const error = await refusal(registry.create(EventType, 'd', body(eventType('late')), asAlice))
    assert.equal(error.code, 403)
    assert.match(error.message, /unable to create new content in namespace d because it is being terminated/)
    assert.equal(
      (await refusal(registry.create(EventType, 'd', body(eventType('late')), { ...asAlice, dryRun: true }))).code,
      403,
    )
    await registry.patch(EventType, { namespace: 'd', name: 'held' }, release, asAlice)
    await registry.settled()
    assert.throws(() => registry.get(Namespace, d), /not found/)
    assert.ok(registry.get(EventType, { namespace: 'e', name: 'other' }))
    await registry.create(EventType, 'd', body(eventType('again')), asAlice)
  })

  it('deleted: say what is left in them and who has to be waited for, after a moment and without a busy loop', async () => {
    const { registry, clock } = await start()
    const told = async (): Promise<Record<string, string>> => {
      await registry.settled()
      const { conditions = [] } = registry.get(Namespace, d).resource.status ?? {}
      return Object.fromEntries(conditions.map((c) => [c.type, `${c.status} ${c.reason}: ${c.message}`]))
    }
    await registry.create(
      EventType,
      'd',
      body(eventType('held-too', { metadata: { finalizers: ['example.com/hold', 'example.com/other'] } })),
      asAlice,
    )
    await registry.delete(Namespace, d, {}, asAlice)
    assert.deepEqual(await told(), {}, 'most namespaces are gone at once')
    clock.advance(1000)
    assert.deepEqual(await told(), {
      NamespaceContentRemaining:
        'True SomeResourcesRemain: Some resources are remaining: eventtypes.event.cp.ei.vendor.de has 2 resource instances',
      NamespaceDeletionContentFailure: 'False ContentDeleted: Everything in the namespace is told to go',
      NamespaceFinalizersRemaining:
        'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances, example.com/other in 1 resource instances',
    })
    await registry.patch(EventType, { namespace: 'd', name: 'held-too' }, release, asAlice)
    clock.advance(1000)
    assert.match((await told())['NamespaceFinalizersRemaining'] ?? '', /example.com\/hold in 1 resource instances$/)
    for (let i = 0; i < 10 && clock.pending > 0; i++) {
      clock.advance(1000)
      await registry.settled()
    }
    const { revision } = registry
    clock.advance(60_000)
    await registry.settled()
    assert.equal(registry.revision, revision)
    assert.equal(clock.pending, 0)
    await registry.patch(EventType, { namespace: 'd', name: 'held' }, release, asAlice)
    await registry.settled()
    assert.throws(() => registry.get(Namespace, d), /not found/)
  })

  it('wait for their own finalizers too', async () => {
    const { registry } = fixture()
    await registry.create(
      Namespace,
      '',
      body({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'd', finalizers: ['example.com/a'] } }),
      asAlice,
    )
    await registry.delete(Namespace, d, {}, asAlice)
    await registry.settled()
    assert.ok(registry.get(Namespace, d))
    await registry.patch(Namespace, d, release, asAlice)
    await registry.settled()
    assert.throws(() => registry.get(Namespace, d), /not found/)
  })

  it('are emptied after a restart', async () => {
    const store = openMemoryStore()
    const before = await start(store)
    await before.registry.settled()
    await before.registry.close()
    await before.registry.delete(Namespace, d, {}, asAlice)
    const after = fixture(store)
    await after.registry.settled()
    assert.throws(() => after.registry.get(ApiSpecification, { namespace: 'd', name: 's' }), /not found/)
  })

  it('never disappear around an object that is just being created', async () => {
    const { registry } = fixture()
    for (let round = 0; round < 20; round++) {
      await registry.create(EventType, 'd', body(eventType('a')), asAlice)
      const creating = Array.from({ length: 5 }, (_, i) =>
        registry.create(EventType, 'd', body(eventType(`n${i}`)), asAlice).catch(() => undefined),
      )
      await Promise.all([registry.delete(Namespace, d, {}, asAlice), ...creating])
      await registry.settled()
      assert.throws(() => registry.get(Namespace, d), /not found/)
      assert.equal((await registry.list(EventType, { namespace: 'd' })).items.length, 0)
    }
  })

  it('wait for a write that was let in before the deletion, however slow it is', async () => {
    const store = switchedStore(openMemoryStore())
    const { registry } = fixture(store)
    await registry.create(EventType, 'd', body(eventType('a')), asAlice)
    const slow = Promise.withResolvers<void>()
    store.gate = (ops) => (ops.some(({ key }) => key.endsWith('/slow')) ? slow.promise : undefined)
    const creating = registry.create(EventType, 'd', body(eventType('slow')), asAlice)
    await registry.delete(Namespace, d, {}, asAlice)
    await registry.settled()
    assert.ok(registry.get(Namespace, d), 'the namespace is still there')
    slow.resolve()
    await creating
    await registry.settled()
    assert.throws(() => registry.get(Namespace, d), /not found/)
    assert.throws(() => registry.get(EventType, { namespace: 'd', name: 'slow' }), /not found/)
  })
})
