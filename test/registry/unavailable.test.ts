import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { openMemoryStore } from '#store/memory.ts'
import { asAlice, body, eventType, fixture, refusal } from './fixture.ts'
import { switchedStore } from './switched-store.ts'

describe('a store that cannot write', () => {
  it('is 503 with a time to come back for writes, and nothing for reads', async () => {
    const store = switchedStore(openMemoryStore())
    const { registry } = fixture(store)
    const { resource } = await registry.create(EventType, 'd', body(eventType('a')), asAlice)
    store.refuses = () => true
    const key = { namespace: 'd', name: 'a' }
    const writes = [
      registry.create(EventType, 'd', body(eventType('b')), asAlice),
      registry.update(
        EventType,
        key,
        body({ ...resource, spec: { ...(resource.spec as object), version: '2' } }),
        asAlice,
      ),
      registry.delete(EventType, key, {}, asAlice),
    ]
    for (const error of await Promise.all(writes.map(refusal))) {
      assert.equal(error.code, 503)
      assert.equal(error.details?.retryAfterSeconds, 1)
    }
    assert.equal((await registry.list(EventType, {})).items.length, 1)
  })

  it('delays garbage collection and does not lose it', async () => {
    const store = switchedStore(openMemoryStore())
    const { registry, clock } = fixture(store)
    const { resource: owner } = await registry.create(EventType, 'd', body(eventType('owner')), asAlice)
    const { apiVersion, kind, metadata } = owner
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }]
    await registry.create(EventType, 'd', body(eventType('owned', { metadata: { ownerReferences } })), asAlice)
    store.refuses = (key) => key.endsWith('/owned')
    await registry.delete(EventType, { namespace: 'd', name: 'owner' }, {}, asAlice)
    while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve))
    assert.ok(registry.get(EventType, { namespace: 'd', name: 'owned' }))
    store.refuses = () => false
    clock.advance(1000)
    await registry.settled()
    assert.throws(() => registry.get(EventType, { namespace: 'd', name: 'owned' }), /not found/)
  })
})
