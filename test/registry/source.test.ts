import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import { isStatus } from '#domain/errors.ts'
import type { Resource } from '#domain/object.ts'
import { registrySource } from '#registry/source.ts'
import type { Follower, ResourceChange } from '#source/source.ts'
import { asAlice, body, eventType, fixture, PLATFORM } from './fixture.ts'

type EventTypeDraft = Parameters<ReturnType<typeof registrySource>['create']>[1]
const draft = (name: string): EventTypeDraft =>
  ({
    metadata: { name, namespace: 'd' },
    spec: { type: 'de.vendor.demo.v1', version: '1', category: 'other' },
  }) as EventTypeDraft

function recorder(): {
  follower: Follower
  snapshot: Promise<readonly Resource[]>
  changes: (readonly ResourceChange[])[]
} {
  const changes: (readonly ResourceChange[])[] = []
  const { promise, resolve } = Promise.withResolvers<readonly Resource[]>()
  return { follower: { snapshot: resolve, changed: (list) => void changes.push(list) }, snapshot: promise, changes }
}

const text = (list: readonly ResourceChange[]): string =>
  list.map(({ type, resource }) => `${type} ${resource.kind} ${resource.metadata.name}`).join(', ')

describe('the registry as a source', () => {
  it('gives the state of several kinds once, then every transaction as a whole', async () => {
    const { registry } = fixture()
    const source = registrySource(registry, PLATFORM)
    await registry.create(EventType, 'd', body(eventType('a')), asAlice)
    const { follower, snapshot, changes } = recorder()
    const stop = new AbortController()
    const following = source.follow([EventType, Namespace], follower, stop.signal)
    const early = registry.create(EventType, 'e', body(eventType('early')), asAlice)
    const state = await snapshot
    await early
    assert.deepEqual(state.map(({ metadata }) => metadata.name).toSorted(), ['a', 'd'])
    await registry.delete(EventType, { namespace: 'd', name: 'a' }, {}, asAlice)
    assert.deepEqual(changes.map(text), ['ADDED Namespace e, ADDED EventType early', 'DELETED EventType a'])
    assert.equal(changes[1]![0]!.resource.metadata.resourceVersion, String(registry.revision))
    stop.abort()
    await following
    await registry.create(EventType, 'd', body(eventType('late')), asAlice)
    assert.equal(changes.length, 2)
  })

  it('misses nothing while the state is handed over', async () => {
    const { registry } = fixture()
    for (let i = 0; i < 1000; i++) await registry.create(EventType, 'd', body(eventType(`o${i}`)), asAlice)
    const { follower, snapshot, changes } = recorder()
    const stop = new AbortController()
    const following = registrySource(registry, PLATFORM).follow([EventType], follower, stop.signal)
    const writes = Array.from({ length: 50 }, (_, i) =>
      registry.delete(EventType, { namespace: 'd', name: `o${i}` }, {}, asAlice),
    )
    const names = new Set((await snapshot).map(({ metadata }) => metadata.name))
    await Promise.all(writes)
    for (const { type, resource } of changes.flat())
      assert.equal(type === 'DELETED' && names.delete(resource.metadata.name), true)
    assert.equal(names.size, 950)
    stop.abort()
    await following
  })

  it('hands everyone the same parsed resource', async () => {
    const { registry } = fixture()
    const [one, two] = [recorder(), recorder()]
    const stop = new AbortController()
    const following = [one, two].map(({ follower }) =>
      registrySource(registry, PLATFORM).follow([EventType], follower, stop.signal),
    )
    await Promise.all([one.snapshot, two.snapshot])
    await registry.create(EventType, 'd', body(eventType('a')), asAlice)
    assert.equal(one.changes[0]![0]!.resource, two.changes[0]![0]!.resource)
    stop.abort()
    await Promise.all(following)
  })

  it('writes through the same door as everyone', async () => {
    const { registry } = fixture()
    const source = registrySource(registry, PLATFORM)
    const created = await source.create(EventType, draft('a') as never)
    assert.equal(created.apiVersion, 'event.cp.ei.vendor.de/v1')
    const updated = await source.update(EventType, { ...created, spec: { ...created.spec, version: '2' } })
    assert.equal(updated.metadata.generation, 2)
    const ready = await source.updateStatus(EventType, { ...updated, status: { active: true } })
    assert.deepEqual(ready.status, { active: true })
    await assert.rejects(source.update(EventType, created), (error) => isStatus(error, 'Conflict'))
    await assert.rejects(source.create(EventType, draft('a') as never), (error) => isStatus(error, 'AlreadyExists'))
    const ref = { namespace: 'd', name: 'a' }
    await assert.rejects(source.delete(EventType, ref, { uid: 'other' }), (error) => isStatus(error, 'Conflict'))
    await source.delete(EventType, ref, { uid: ready.metadata.uid, resourceVersion: ready.metadata.resourceVersion })
    await assert.rejects(source.delete(EventType, ref), (error) => isStatus(error, 'NotFound'))
  })
})
