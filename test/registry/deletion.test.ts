import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventType } from '#domain/kinds/event/event-type.ts'
import type { PatchBody } from '#registry/registry.ts'
import { asAlice, body, eventType, fixture, names, refusal, watching } from './fixture.ts'

const key = { namespace: 'd', name: 'a' }
const merge = (value: unknown): PatchBody => ({ type: 'merge', value, duplicates: [] })
const finalizers = (...list: string[]): PatchBody => merge({ metadata: { finalizers: list } })

async function start(metadata: Record<string, unknown> = {}): Promise<ReturnType<typeof fixture>> {
  const made = fixture()
  await made.registry.create(EventType, 'd', body(eventType('a', { metadata })), asAlice)
  return made
}

describe('delete', () => {
  it('removes an object nobody waits for and hands out its last state', async () => {
    const { registry } = await start()
    const deleted = await registry.delete(EventType, key, {}, asAlice)
    assert.equal(deleted.gone, true)
    assert.equal(deleted.resource.metadata.name, 'a')
    assert.equal((await refusal(registry.delete(EventType, key, {}, asAlice))).code, 404)
  })

  it('only marks an object with finalizers; removing the last one removes the object', async () => {
    const { registry, store } = await start({ finalizers: ['example.com/a', 'example.com/b'] })
    const watch = await watching(registry, EventType, {})
    const { gone, resource } = await registry.delete(EventType, key, {}, asAlice)
    assert.equal(gone, false)
    assert.equal(resource.metadata.deletionTimestamp, '2030-01-02T03:04:05Z')
    assert.equal(resource.metadata.deletionGracePeriodSeconds, 0)
    assert.equal(resource.metadata.generation, 2)
    const before = store.revision
    await registry.delete(EventType, key, {}, asAlice)
    assert.equal(store.revision, before, 'deleting again changes nothing')
    await registry.patch(EventType, key, finalizers('example.com/b'), asAlice)
    assert.deepEqual(registry.get(EventType, key).resource.metadata.finalizers, ['example.com/b'])
    const last = await registry.patch(EventType, key, merge({ metadata: { finalizers: null } }), asAlice)
    assert.equal(last.resource.metadata.finalizers, undefined)
    assert.equal((await refusal(registry.update(EventType, key, body(last.resource), asAlice))).code, 404)
    assert.deepEqual(names(watch.events), ['ADDED a', 'MODIFIED a', 'MODIFIED a', 'DELETED a'])
    assert.equal(watch.events.at(-1)!.resource.metadata.resourceVersion, String(store.revision))
  })

  it('a deleting object takes changes but no new finalizer, and cannot be brought back', async () => {
    const { registry } = await start({ finalizers: ['example.com/a'] })
    await registry.delete(EventType, key, {}, asAlice)
    const error = await refusal(registry.patch(EventType, key, finalizers('example.com/a', 'example.com/c'), asAlice))
    assert.equal(error.code, 422)
    assert.match(
      error.message,
      /metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted/,
    )
    const changed = await registry.patch(
      EventType,
      key,
      merge({ metadata: { deletionTimestamp: null, labels: { a: 'b' } }, spec: { version: '2' } }),
      asAlice,
    )
    assert.ok(changed.resource.metadata.deletionTimestamp)
    assert.equal(changed.resource.metadata.generation, 3)
    const again = await refusal(registry.create(EventType, 'd', body(eventType('a')), asAlice))
    assert.match(again.message, /^object is being deleted: .* already exists$/)
  })

  it('a status write can never remove an object or its finalizers', async () => {
    const { registry } = await start({ finalizers: ['example.com/a'] })
    const { resource } = await registry.delete(EventType, key, {}, asAlice)
    const stripped = { ...resource, metadata: { ...resource.metadata, finalizers: [] }, status: { active: true } }
    const written = await registry.update(EventType, key, body(stripped), { ...asAlice, subresource: 'status' })
    assert.deepEqual(written.resource.metadata.finalizers, ['example.com/a'])
  })

  it('holds preconditions', async () => {
    const { registry } = await start()
    const { uid, resourceVersion } = registry.get(EventType, key).resource.metadata
    for (const preconditions of [{ uid: 'other' }, { resourceVersion: '999' }, { uid, resourceVersion: '999' }]) {
      const error = await refusal(registry.delete(EventType, key, { preconditions }, asAlice))
      assert.equal(error.reason, 'Conflict')
      assert.match(error.message, /in the precondition \((other|999)\) does not match/)
    }
    assert.equal(
      (await registry.delete(EventType, key, { preconditions: { uid, resourceVersion } }, asAlice)).gone,
      true,
    )
  })

  it('never removes what it has not seen: a write that is ahead of it counts', async () => {
    const { registry } = await start()
    const { resourceVersion } = registry.get(EventType, key).resource.metadata
    const ahead = registry.patch(EventType, key, finalizers('example.com/a'), asAlice)
    const precondition = refusal(registry.delete(EventType, key, { preconditions: { resourceVersion } }, asAlice))
    const plain = registry.delete(EventType, key, {}, asAlice)
    await ahead
    assert.equal((await precondition).reason, 'Conflict')
    assert.equal((await plain).gone, false)
    assert.deepEqual(registry.get(EventType, key).resource.metadata.finalizers, ['example.com/a'])
  })

  it('in a dry run deletes nothing', async () => {
    const { registry, store } = await start()
    const before = store.revision
    assert.equal((await registry.delete(EventType, key, {}, { ...asAlice, dryRun: true })).gone, true)
    assert.equal(store.revision, before)
    assert.ok(registry.get(EventType, key))
  })

  it('wins against concurrent writers', async () => {
    const { registry } = await start()
    const writes = Array.from({ length: 5 }, (_, i) =>
      registry.patch(EventType, key, merge({ spec: { version: `${i}` } }), asAlice).catch(() => undefined),
    )
    await Promise.all([...writes, registry.delete(EventType, key, {}, asAlice)])
    assert.throws(() => registry.get(EventType, key), /not found/)
  })
})
