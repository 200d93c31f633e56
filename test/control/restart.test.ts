import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { controllerOf } from '#control/controller.ts'
import type { Resource } from '#domain/object.ts'
import { child, provisioned } from '#domain/plan/plan.ts'
import type { ResourceSource } from '#source/source.ts'
import { Garden } from './fixture.ts'
import { Stone, Thing, THINGS, type ThingPlanner } from './thing.ts'

/** All things desire the same stone in another namespace, unless they say no. Slow ones use up the engine's turn. */
const sharing: ThingPlanner = (self) => {
  if (self.spec.state === 'slow') for (const end = performance.now() + 20; performance.now() < end;);
  const stone = child(Stone, { namespace: 'elsewhere', name: 'stone', spec: { n: 1 } })
  return provisioned({ status: {}, children: self.spec.state !== undefined ? [] : [stone] })
}

let garden: Garden
const shared = async (
  around: (source: ResourceSource) => ResourceSource = (source) => source,
): Promise<string | undefined> => {
  garden = new Garden({ kinds: THINGS, controllers: [controllerOf(Thing, sharing)], around }).start()
  await garden.put(Thing, 't1', {})
  await garden.put(Thing, 't2', {})
  await garden.settle()
  await garden.stop()
  return garden.find(Stone, 'stone', 'elsewhere')?.metadata.uid
}
const stone = (): Resource | undefined => garden.find(Stone, 'stone', 'elsewhere')
const owner = (): string | undefined => stone()?.metadata.annotations?.['cp.ei.vendor.de/owner']
afterEach(async () => {
  await garden.stop()
  await garden.registry.close()
})

describe('after a restart, while not every planner has run', () => {
  it('nothing is pruned that another plan may desire', async () => {
    const uid = await shared()
    assert.equal(owner(), 'things.test/v1/Thing/a/t1')
    await garden.put(Thing, 't1', { state: 'no' })
    await garden.put(Thing, 't1-slow', { state: 'slow' })
    garden.start()
    await garden.settle()
    assert.equal(stone()?.metadata.uid, uid)
    assert.equal(owner(), 'things.test/v1/Thing/a/t2')
  })

  it('nothing of a deleted owner is deleted that another plan may desire', async () => {
    const ghost: { first?: Resource | undefined } = {}
    const uid = await shared((source) => ({
      ...source,
      follow: (kinds, follower, signal) => {
        const snapshot = (resources: readonly Resource[]): void => {
          const { first } = ghost
          follower.snapshot(first === undefined ? resources : [first, ...resources])
          if (first !== undefined) follower.changed([{ type: 'DELETED', resource: first }])
        }
        return source.follow(kinds, { ...follower, snapshot }, signal)
      },
    }))
    ghost.first = garden.find(Thing, 't1')
    await garden.delete(Thing, 't1')
    garden.start()
    await garden.settle()
    assert.equal(stone()?.metadata.uid, uid)
    assert.equal(owner(), 'things.test/v1/Thing/a/t2')
    await garden.delete(Thing, 't2')
    await garden.settle()
    assert.equal(stone(), undefined)
  })

  it('nothing changes hands that its owner still desires', async () => {
    await shared()
    garden.counted()
    garden.start()
    await garden.settle()
    assert.equal(garden.counted().writes, 0)
    assert.equal(owner(), 'things.test/v1/Thing/a/t1')
  })
})
