import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findCondition } from '#domain/condition.ts'
import { Event } from '#domain/kinds/core/event.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import type { Metadata, OwnerReference, Resource } from '#domain/object.ts'
import type { DeleteOptions } from '#registry/registry.ts'
import { openMemoryStore } from '#store/memory.ts'
import { asAlice, asPlatform, body, eventType, fixture, type Fixture } from './fixture.ts'

const ref = ({ apiVersion, kind, metadata }: Resource, block = false): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
  ...(block ? { blockOwnerDeletion: true } : {}),
})

async function make(
  { registry }: Fixture,
  name: string,
  owners: readonly OwnerReference[] = [],
  { namespace = 'd', ...metadata }: Partial<Metadata> = {},
): Promise<Resource> {
  const object = eventType(name, { metadata: { ownerReferences: owners, ...metadata } })
  return (await registry.create(EventType, namespace, body(object), asAlice)).resource
}

async function remaining({ registry }: Fixture): Promise<string[]> {
  await registry.settled()
  const { items } = await registry.list(EventType, {})
  return items.map(({ resource }) => resource.metadata.name)
}

const drop = ({ registry }: Fixture, name: string, options: DeleteOptions = {}): Promise<unknown> =>
  registry.delete(EventType, { namespace: 'd', name }, options, asAlice)

const release = ({ registry }: Fixture, name: string): Promise<unknown> =>
  registry.patch(
    EventType,
    { namespace: 'd', name },
    { type: 'merge', value: { metadata: { finalizers: null } }, duplicates: [] },
    asAlice,
  )

/** As its controller would say it; not ready, and why. */
async function makeReady({ registry }: Fixture, name: string, trouble?: string): Promise<void> {
  const condition = {
    type: 'Ready',
    status: trouble === undefined ? 'True' : 'False',
    reason: 'Told',
    message: trouble ?? '',
    lastTransitionTime: '2030-01-01T00:00:00Z',
  }
  const value = { status: { active: true, conditions: [condition] } }
  const context = { ...asPlatform, subresource: 'status' } as const
  await registry.patch(EventType, { namespace: 'd', name }, { type: 'merge', value, duplicates: [] }, context)
}

/** Lets everything that waits for a moment have it. */
async function settleTimers({ registry, clock }: Fixture): Promise<void> {
  for (let i = 0; i < 10 && clock.pending > 0; i++) {
    clock.advance(1000)
    await registry.settled()
  }
}

describe('garbage collection', () => {
  it('background: dependents go after their owner, over generations', async () => {
    const made = fixture()
    const a = await make(made, 'a')
    const b = await make(made, 'b', [ref(a)])
    await make(made, 'c', [ref(b)])
    await make(made, 'd', [ref(b, true)])
    await make(made, 'other')
    await drop(made, 'a', { propagationPolicy: 'Background' })
    assert.throws(() => made.registry.get(EventType, { namespace: 'd', name: 'a' }), /not found/)
    assert.deepEqual(await remaining(made), ['other'])
  })

  it('an object with another owner that lives stays, without the lost reference', async () => {
    const made = fixture()
    const [a, b] = [await make(made, 'a'), await make(made, 'b')]
    await make(made, 'c', [ref(a), ref(b)])
    await drop(made, 'a')
    assert.deepEqual(await remaining(made), ['b', 'c'])
    const { ownerReferences } = made.registry.get(EventType, { namespace: 'd', name: 'c' }).resource.metadata
    assert.deepEqual(
      ownerReferences?.map(({ name }) => name),
      ['b'],
    )
    await drop(made, 'b')
    assert.deepEqual(await remaining(made), [])
  })

  it('foreground: the owner waits for those who block it', async () => {
    const made = fixture()
    const a = await make(made, 'a')
    await make(made, 'blocking', [ref(a, true)], { finalizers: ['example.com/hold'] })
    await make(made, 'free', [ref(a)])
    await drop(made, 'a', { propagationPolicy: 'Foreground' })
    assert.deepEqual(await remaining(made), ['a', 'blocking'])
    assert.deepEqual(made.registry.get(EventType, { namespace: 'd', name: 'a' }).resource.metadata.finalizers, [
      'foregroundDeletion',
    ])
    await made.registry.patch(
      EventType,
      { namespace: 'd', name: 'blocking' },
      { type: 'merge', value: { metadata: { finalizers: null } }, duplicates: [] },
      asAlice,
    )
    assert.deepEqual(await remaining(made), [])
  })

  it('foreground: what waits says for what, in the words of that, keeps it current, and only after a moment', async () => {
    const made = fixture()
    const a = await make(made, 'a')
    await makeReady(made, 'a')
    const terminating = async (): Promise<string | undefined> => {
      await made.registry.settled()
      const { status } = made.registry.get(EventType, { namespace: 'd', name: 'a' }).resource
      return findCondition(status?.conditions, 'Terminating')?.message
    }
    await make(made, 'x', [ref(a, true)], { finalizers: ['example.com/hold'] })
    await make(made, 'y', [ref(a, true)], { finalizers: ['example.com/hold'] })
    await drop(made, 'a', { propagationPolicy: 'Foreground' })
    assert.equal(await terminating(), undefined, 'most of what is deleted is gone at once')
    made.clock.advance(1000)
    assert.equal(await terminating(), 'Waiting until EventType d/x, EventType d/y are deleted')
    await release(made, 'x')
    await makeReady(made, 'y', 'the backend answers 500')
    made.clock.advance(1000)
    assert.equal(await terminating(), 'Waiting until EventType d/y is deleted: the backend answers 500')
    await settleTimers(made)
    const { revision } = made.registry
    made.clock.advance(60_000)
    await made.registry.settled()
    assert.equal(made.registry.revision, revision, 'what has not changed is not written again')
    assert.equal(made.clock.pending, 0)
    await release(made, 'y')
    assert.deepEqual(await remaining(made), [])
  })

  it('foreground: Events stay as long as the object they tell of, and go with it', async () => {
    const made = fixture()
    const a = await make(made, 'a')
    await make(made, 'held', [ref(a, true)], { finalizers: ['example.com/hold'] })
    const event = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'a.1', ownerReferences: [ref(a)] } }
    await made.registry.create(Event, 'd', body(event), asAlice)
    const events = async (): Promise<number> => {
      await made.registry.settled()
      return (await made.registry.list(Event, {})).items.length
    }
    await drop(made, 'a', { propagationPolicy: 'Foreground' })
    assert.equal(await events(), 1)
    await release(made, 'held')
    assert.deepEqual(await remaining(made), [])
    assert.equal(await events(), 0)
  })

  it('foreground: goes through generations, and a circle does not wait for ever', async () => {
    const made = fixture()
    const a = await make(made, 'a')
    const b = await make(made, 'b', [ref(a, true)])
    await make(made, 'c', [ref(b, true)])
    const current = made.registry.get(EventType, { namespace: 'd', name: 'a' }).resource
    await made.registry.update(
      EventType,
      { namespace: 'd', name: 'a' },
      body({ ...current, metadata: { ...current.metadata, ownerReferences: [ref(b, true)] } }),
      asAlice,
    )
    await drop(made, 'a', { propagationPolicy: 'Foreground' })
    assert.deepEqual(await remaining(made), [])
  })

  it('orphan: dependents stay and lose the reference', async () => {
    const made = fixture()
    const a = await make(made, 'a')
    await make(made, 'b', [ref(a)])
    await drop(made, 'a', { propagationPolicy: 'Orphan' })
    assert.deepEqual(await remaining(made), ['b'])
    assert.equal(
      made.registry.get(EventType, { namespace: 'd', name: 'b' }).resource.metadata.ownerReferences,
      undefined,
    )
  })

  it('an owner that never was, in another namespace or of another uid, counts as lost', async () => {
    const made = fixture()
    const a = await make(made, 'a')
    await make(made, 'ghost', [{ ...ref(a), name: 'nobody' }])
    await make(made, 'uid', [{ ...ref(a), uid: 'another' }])
    await make(made, 'elsewhere', [ref(a)], { namespace: 'e' })
    await make(made, 'fine', [ref(a)])
    assert.deepEqual(await remaining(made), ['a', 'fine'])
  })

  it('an owner of a kind served elsewhere is left alone', async () => {
    const made = fixture()
    await make(made, 'a', [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'x', uid: 'u' }])
    assert.deepEqual(await remaining(made), ['a'])
  })

  it('a cluster-scoped owner owns across namespaces', async () => {
    const made = fixture()
    await make(made, 'seed', [], { namespace: 'owner' })
    const owner = made.registry.get(Namespace, { namespace: '', name: 'owner' }).resource
    await make(made, 'a', [ref(owner)])
    assert.deepEqual(await remaining(made), ['a', 'seed'])
    await made.registry.delete(Namespace, { namespace: '', name: 'owner' }, {}, asAlice)
    assert.deepEqual(await remaining(made), [])
  })

  it('a reference set later counts, one removed does not', async () => {
    const made = fixture()
    const a = await make(made, 'a')
    await make(made, 'b')
    await make(made, 'c', [ref(a)])
    const patch = (name: string, ownerReferences: unknown): Promise<unknown> =>
      made.registry.patch(
        EventType,
        { namespace: 'd', name },
        { type: 'merge', value: { metadata: { ownerReferences } }, duplicates: [] },
        asAlice,
      )
    await patch('b', [ref(a)])
    await patch('c', null)
    await drop(made, 'a')
    assert.deepEqual(await remaining(made), ['c'])
  })

  it('finishes after a restart what was left undone', async () => {
    const store = openMemoryStore()
    const before = fixture(store)
    const a = await make(before, 'a')
    const f = await make(before, 'f')
    await make(before, 'b', [ref(a)])
    await make(before, 'g', [ref(f, true)])
    await before.registry.settled()
    await before.registry.close()
    await drop(before, 'a')
    await drop(before, 'f', { propagationPolicy: 'Foreground' })
    assert.equal((await before.registry.list(EventType, {})).items.length, 3)
    assert.deepEqual(await remaining(fixture(store)), [])
  })

  it('collects thousands', async () => {
    const made = fixture()
    const a = await make(made, 'a')
    await Promise.all(Array.from({ length: 2000 }, (_, i) => make(made, `o${i}`, [ref(a)])))
    await drop(made, 'a')
    assert.deepEqual(await remaining(made), [])
  })
})
