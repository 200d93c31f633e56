import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { controllerOf } from '#control/controller.ts'
import { defineKind, type Kind } from '#domain/kind.ts'
import { label, type Resource } from '#domain/object.ts'
import { child, provisioned } from '#domain/plan/plan.ts'
import { s } from '#domain/schema.ts'
import { aroundTransactions } from './around.ts'
import { Garden, type GardenOptions } from './fixture.ts'
import { Thing, THINGS, type ThingPlanner } from './thing.ts'

/** What is stored is not what was asked for: a default is added, what is unknown goes, a secret becomes a reference. */
const Vase = defineKind({
  group: 'things.test',
  kind: 'Vase',
  plural: 'vases',
  doc: 'A vase.',
  spec: s.object({ height: s.integer({ default: 7 }) }, { n: s.integer(), secret: s.string({ secret: 'given' }) }),
  status: s.object({ volume: s.integer({ default: 3 }) }, { n: s.integer(), note: s.string() }),
  columns: [],
})
const KINDS: readonly Kind[] = [...THINGS, Vase]

let garden: Garden
afterEach(async () => {
  await garden.stop()
  await garden.registry.close()
})

/** Makes the object run again without changing anything about it. */
async function again(kind: Kind, name: string): Promise<void> {
  const { status, ...rest } = garden.find(kind, name)!
  await garden.source.updateStatus(kind, { ...rest, status: { ...status, conditions: [] } } as Resource)
  await garden.settle()
}

describe('what the server stores in another form', () => {
  it('is a status with a default, and with something unknown in it: written once, and quiet after a restart', async () => {
    const planVase = (self: { readonly spec: { readonly n?: number } }) =>
      provisioned({ status: { n: self.spec.n, unknown: 'to the schema' } })
    garden = new Garden({ kinds: KINDS, controllers: [controllerOf(Vase, planVase as any)] }).start()
    await garden.put(Vase, 'v', { n: 1 })
    await garden.settle()
    assert.equal(garden.counted().writes, 1)
    const { conditions, ...status } = garden.find(Vase, 'v')!.status
    assert.deepEqual(status, { n: 1, volume: 3 })
    assert.equal(conditions.length, 2)
    await garden.stop()
    garden.start()
    await garden.settle()
    assert.deepEqual([garden.counted().writes, garden.cycles], [0, 0])
    await again(Vase, 'v')
    assert.equal(garden.counted().writes, 1, 'the conditions come back, and that is all')
    assert.deepEqual(garden.find(Vase, 'v')?.status.n, 1)
    await garden.put(Vase, 'v', { n: 2 })
    await garden.settle()
    assert.equal(garden.find(Vase, 'v')?.status.n, 2)
  })

  it('is a status of which only a part beside the conditions changes', async () => {
    const planVase = (_: unknown, world: any) =>
      provisioned({ status: { note: world.get(Thing, { namespace: 'a', name: 't' })?.spec.state, unknown: 1 } })
    garden = new Garden({ kinds: KINDS, controllers: [controllerOf(Vase, planVase as any)] }).start()
    await garden.put(Vase, 'v', {})
    for (const state of ['dry', 'wet', 'dry']) {
      await garden.put(Thing, 't', { state })
      await garden.settle()
      assert.equal(garden.find(Vase, 'v')?.status.note, state)
    }
    garden.counted()
    await garden.put(Thing, 't', { state: 'dry', n: 5 })
    await garden.settle()
    assert.equal(garden.counted().writes, 0)
  })

  const vaseOf =
    (spec: object): ThingPlanner =>
    () =>
      provisioned({ status: {}, children: [child(Vase, { namespace: 'a', name: 'v', spec: spec as any })] })

  const withVase = async (spec: object, options: GardenOptions = {}): Promise<void> => {
    garden = new Garden({ kinds: KINDS, controllers: [controllerOf(Thing, vaseOf(spec))], ...options }).start()
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
  }

  it('is a child with a default: it is made once and left alone', async () => {
    await withVase({ n: 1, unknown: 'to the schema' })
    assert.deepEqual(garden.find(Vase, 'v')?.spec, { height: 7, n: 1 })
    const { resourceVersion } = garden.find(Vase, 'v')!.metadata
    await again(Thing, 't')
    await garden.stop()
    garden.start()
    await garden.settle()
    assert.equal(garden.find(Vase, 'v')?.metadata.resourceVersion, resourceVersion)
  })

  it('is a child to which the server adds something below our prefix: it is asked once more and then believed', async () => {
    let updates = 0
    const stamped = <R extends Pick<Resource, 'metadata'>>(o: R): R => ({
      ...o,
      metadata: { ...o.metadata, labels: { ...o.metadata.labels, [label('stamp')]: 'server' } },
    })
    const around = aroundTransactions((inner) => ({
      create: (kind, draft) => inner.create(kind, stamped(draft)),
      update: (kind, resource) => (updates++, inner.update(kind, stamped(resource))),
    }))
    await withVase({ n: 1 }, { around })
    for (let i = 0; i < 4; i++) await again(Thing, 't')
    assert.equal(updates, 1)
    assert.equal(garden.find(Vase, 'v')?.metadata.generation, 1)
    const { metadata, spec } = garden.find(Vase, 'v')!
    await garden.put(Vase, 'v', { ...spec, n: 9 }, { metadata: { ownerReferences: metadata.ownerReferences } })
    await garden.settle()
    assert.equal(garden.find(Vase, 'v')?.spec.n, 1, 'what somebody else changed is not what was answered')
  })

  it('is a secret in a child: it is sealed once, whoever runs again', async () => {
    await withVase({ secret: 'in clear' })
    const { secret } = garden.find(Vase, 'v')!.spec
    assert.match(secret, /^\$<.*>$/)
    garden.counted()
    for (let i = 0; i < 3; i++) await again(Thing, 't')
    assert.equal(garden.counted().writes, 3, 'the status of the owner, each time')
    assert.equal(garden.find(Vase, 'v')?.spec.secret, secret)
  })
})
