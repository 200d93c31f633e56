import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, it } from 'node:test'
import { controllerOf } from '#control/controller.ts'
import { Engine } from '#control/engine.ts'
import { runWhileLeading, soleLeader } from '#control/leadership.ts'
import { TEST_INSTALLATION } from '#control/world.ts'
import { StatusError } from '#domain/errors.ts'
import { child, provisioned } from '#domain/plan/plan.ts'
import { createLog } from '#lib/log.ts'
import type { ResourceSource } from '#source/source.ts'
import { Garden, type GardenOptions } from './fixture.ts'
import { Stone, Thing, THINGS, type ThingPlanner } from './thing.ts'

let garden: Garden
const withPlanner = (planner: ThingPlanner, options: GardenOptions = {}): Garden => {
  garden = new Garden({ kinds: THINGS, controllers: [controllerOf(Thing, planner)], ...options }).start()
  return garden
}
afterEach(async () => {
  await garden.stop()
  await garden.registry.close()
})

const stoneOf: ThingPlanner = (self) =>
  provisioned({ status: {}, children: [child(Stone, { namespace: 'a', name: 'stone', spec: { n: self.spec.n } })] })

describe('a write', () => {
  it('that the server refuses is shown with its reason and tried again', async () => {
    withPlanner(stoneOf)
    await garden.put(Thing, 't', { n: 101 })
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'False/Error')
    assert.match(garden.message(Thing, 't') ?? '', /Stone\.things\.test "stone" is invalid: spec\.n/)
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
  })

  it('that finds the server unwell is not shown, and repeated when the server says so', async () => {
    let well = false
    const around = (source: ResourceSource): ResourceSource => ({
      ...source,
      create: (kind, draft) => {
        if (well) return source.create(kind, draft)
        return Promise.reject(new StatusError('ServiceUnavailable', 'the disk is full', { retryAfterSeconds: 7 }))
      },
    })
    withPlanner(stoneOf, { around })
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'none')
    well = true
    await garden.advance(6999)
    assert.equal(garden.find(Stone, 'stone'), undefined)
    await garden.advance(1)
    assert.ok(garden.find(Stone, 'stone'))
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
  })

  it('that lost a race is repeated on the newer state, at once and quietly', async () => {
    let races = 3
    const conditions = new Set<string>()
    const around = (source: ResourceSource): ResourceSource => ({
      ...source,
      updateStatus: async (kind, resource) => {
        const { name } = (resource as { metadata: { name: string } }).metadata
        if (kind === Thing && races-- > 0)
          await garden.put(Thing, name, { n: 1 }, { metadata: { labels: { race: `r${races}` } } })
        conditions.add(garden.condition(Thing, 't'))
        return source.updateStatus(kind, resource)
      },
    })
    withPlanner(stoneOf, { around })
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
    assert.deepEqual([...conditions], ['none'])
    assert.ok(races <= 0)
  })

  it('is never started after a stop, and one under way is waited for', async () => {
    const gate = Promise.withResolvers<void>()
    const writes: string[] = []
    const around = (source: ResourceSource): ResourceSource => ({
      ...source,
      create: async (kind, draft) => {
        writes.push('begin')
        await gate.promise
        const made = await source.create(kind, draft)
        writes.push('end')
        return made
      },
      updateStatus: (kind, resource) => {
        writes.push('status')
        return source.updateStatus(kind, resource)
      },
    })
    withPlanner(stoneOf, { around })
    await garden.put(Thing, 't', { n: 1 })
    while (writes.length === 0) await setImmediate()
    const stopped = garden.stop().then(() => void writes.push('stopped'))
    for (let turn = 0; turn < 5; turn++) await setImmediate()
    assert.deepEqual(writes, ['begin'])
    gate.resolve()
    await stopped
    assert.deepEqual(writes, ['begin', 'end', 'stopped'])
  })

  it('is one of a bounded number under way', async () => {
    let now = 0
    let most = 0
    const counted = async <T>(write: () => Promise<T>): Promise<T> => {
      most = Math.max(most, ++now)
      await setImmediate()
      return write().finally(() => now--)
    }
    const around = (source: ResourceSource): ResourceSource => ({
      ...source,
      create: (kind, draft) => counted(() => source.create(kind, draft)),
      updateStatus: (kind, resource) => counted(() => source.updateStatus(kind, resource)),
    })
    garden = new Garden({ kinds: THINGS, controllers: [] })
    for (let i = 0; i < 60; i++) await garden.put(Thing, `t${i}`, { n: i })
    const many: ThingPlanner = (self) =>
      provisioned({
        status: {},
        children: ['x', 'y', 'z'].map((n) => child(Stone, { namespace: 'a', name: `${self.name}-${n}`, spec: {} })),
      })
    const engine = new Engine({
      source: around(garden.source),
      controllers: [controllerOf(Thing, many)],
      kinds: THINGS,
      installation: TEST_INSTALLATION,
      clock: garden.clock,
      log: createLog({ level: 'silent' }),
      concurrency: 8,
    })
    const stop = new AbortController()
    const terms: string[] = []
    const done = runWhileLeading(soleLeader, stop.signal, async (term) => {
      terms.push('begins')
      await engine.run(term)
      terms.push('ends')
    })
    await engine.settle()
    stop.abort()
    await done
    assert.deepEqual(terms, ['begins', 'ends'])
    assert.equal((await garden.resources()).filter((r) => r.kind === 'Stone').length, 180)
    assert.equal(most, 8)
  })
})

describe('a child', () => {
  it('keeps what belongs to others once it exists, and gets the rest', async () => {
    withPlanner((self) => {
      const spec = { n: self.spec.n, state: 'Pending' }
      return provisioned({
        status: {},
        children: [child(Stone, { namespace: 'a', name: 'stone', spec, initial: ['state'] })],
      })
    })
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    assert.deepEqual(garden.find(Stone, 'stone')?.spec, { n: 1, state: 'Pending' })
    await garden.put(Stone, 'stone', { n: 1, state: 'Granted' })
    await garden.settle()
    await garden.put(Thing, 't', { n: 2 })
    await garden.settle()
    assert.deepEqual(garden.find(Stone, 'stone')?.spec, { n: 2, state: 'Granted' })
  })

  it('keeps the secret that the server generated', async () => {
    withPlanner((self) =>
      self.name === 't'
        ? provisioned({
            status: {},
            children: [child(Thing, { namespace: 'a', name: 'child', spec: { n: self.spec.n } })],
          })
        : provisioned({ status: {} }),
    )
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    const secret: unknown = garden.find(Thing, 'child')?.spec.secret
    assert.match(String(secret), /^\$<.*>$/)
    await garden.put(Thing, 't', { n: 2 })
    await garden.settle()
    assert.deepEqual(garden.find(Thing, 'child')?.spec, { n: 2, secret })
  })
})

describe('a patch', () => {
  const grants: ThingPlanner = (self, world) => {
    const stone = world.get(Stone, { namespace: 'a', name: 'stone' })
    const expect = stone === undefined ? 'absent' : stone.resourceVersion
    const owner = { apiVersion: 'things.test/v1', kind: 'Thing', namespace: 'a', name: 'owner' }
    const patches =
      self.name === 't' ? [{ kind: Stone, namespace: 'a', name: 'stone', expect, spec: { n: self.spec.n }, owner }] : []
    return provisioned({ status: { n: stone?.spec.n }, patches })
  }

  it('creates what is absent, for an owner that is not the planned object and does not prune it', async () => {
    withPlanner(grants)
    const owner = await garden.put(Thing, 'owner', {})
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    const reference = garden.find(Stone, 'stone')?.metadata.ownerReferences
    assert.deepEqual(reference, [
      { apiVersion: 'things.test/v1', kind: 'Thing', name: 'owner', uid: owner.metadata.uid },
    ])
    await garden.delete(Thing, 'owner')
    await garden.delete(Thing, 't')
    await garden.settle()
    assert.equal(garden.find(Stone, 'stone'), undefined)
  })

  it('changes what it does not own, and wins only on the version it read', async () => {
    withPlanner(grants)
    await garden.put(Stone, 'stone', { n: 5, state: 'mine' })
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    assert.deepEqual(garden.find(Stone, 'stone')?.spec, { n: 1 })
    await garden.put(Stone, 'stone', { n: 9 })
    await garden.settle()
    assert.deepEqual(garden.find(Stone, 'stone')?.spec, { n: 1 })
    assert.equal(garden.find(Thing, 't')?.status?.n, 1)
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
  })
})
