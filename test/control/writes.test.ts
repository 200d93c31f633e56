import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, it } from 'node:test'
import { controllerOf } from '#control/controller.ts'
import { Engine } from '#control/engine.ts'
import type { TurnLimits } from '#control/engine-options.ts'
import { runWhileLeading, soleLeader } from '#control/leadership.ts'
import { TEST_INSTALLATION } from '#control/world.ts'
import { StatusError } from '#domain/errors.ts'
import { child, provisioned } from '#domain/plan/plan.ts'
import { createLog } from '#lib/log.ts'
import { aroundTransactions } from './around.ts'
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
    const around = aroundTransactions((inner) => ({
      commit: () => {
        if (well) return inner.commit()
        return Promise.reject(new StatusError('ServiceUnavailable', 'the disk is full', { retryAfterSeconds: 7 }))
      },
    }))
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
    const around = aroundTransactions((inner) => ({
      commit: async () => {
        if (races-- > 0) await garden.put(Thing, 't', { n: 1 }, { metadata: { labels: { race: `r${races}` } } })
        conditions.add(garden.condition(Thing, 't'))
        return inner.commit()
      },
    }))
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
    const around = aroundTransactions((inner) => ({
      create: (kind, draft) => (writes.push('create'), inner.create(kind, draft)),
      commit: async () => {
        writes.push('begin')
        await gate.promise
        const refused = await inner.commit()
        writes.push('end')
        return refused
      },
    }))
    withPlanner(stoneOf, { around })
    await garden.put(Thing, 't', { n: 1 })
    while (!writes.includes('begin')) await setImmediate()
    await garden.put(Thing, 'another', { n: 1 })
    const stopped = garden.stop().then(() => void writes.push('stopped'))
    for (let turn = 0; turn < 5; turn++) await setImmediate()
    assert.deepEqual(writes, ['create', 'begin'])
    gate.resolve()
    await stopped
    assert.deepEqual(writes, ['create', 'begin', 'end', 'stopped'])
    assert.ok(garden.find(Stone, 'stone'))
  })

  it('is stored when the requests under way have been answered', async () => {
    let asked = 0
    const answered = Promise.withResolvers<void>()
    withPlanner(stoneOf, { giveWay: () => (asked++, answered.promise) })
    await garden.put(Thing, 't', { n: 1 })
    for (let turn = 0; turn < 200; turn++) await setImmediate()
    assert.ok(asked > 0)
    assert.equal(garden.find(Stone, 'stone'), undefined)
    answered.resolve()
    await garden.settle()
    assert.ok(garden.find(Stone, 'stone'))
  })

  it('that cannot be stored takes no other with it, is shown in the log and tried again', async () => {
    const poison = new Set(['t3'])
    const around = aroundTransactions((inner) => {
      let poisoned = false
      return {
        create: (kind, draft) => {
          poisoned ||= poison.has(draft.metadata.name)
          return inner.create(kind, draft)
        },
        commit: () => (poisoned ? Promise.reject(new RangeError('too big to be stored')) : inner.commit()),
      }
    })
    const ownStone: ThingPlanner = (self) =>
      provisioned({ status: {}, children: [child(Stone, { namespace: 'a', name: self.name, spec: {} })] })
    withPlanner(ownStone, { around })
    for (let i = 0; i < 6; i++) await garden.put(Thing, `t${i}`, { n: i })
    await garden.settle()
    const stones = async (): Promise<number> => (await garden.resources()).filter((r) => r.kind === 'Stone').length
    assert.equal(await stones(), 5)
    assert.equal(garden.condition(Thing, 't5'), 'True/Provisioned')
    poison.clear()
    await garden.advance(1000)
    assert.equal(await stones(), 6)
    assert.equal(garden.condition(Thing, 't3'), 'True/Provisioned')
  })

  it('ends a turn when that is long enough', async () => {
    const commitsOf = async (turn: TurnLimits): Promise<number> => {
      let commits = 0
      const around = aroundTransactions((inner) => ({ commit: () => (commits++, inner.commit()) }))
      const ownStone: ThingPlanner = (self) =>
        provisioned({ status: {}, children: [child(Stone, { namespace: 'a', name: self.name, spec: {} })] })
      withPlanner(ownStone, { around, turn })
      await garden.stop()
      for (let i = 0; i < 120; i++) await garden.put(Thing, `t${i}`, {})
      garden.start()
      await garden.settle()
      assert.equal(garden.condition(Thing, 't119'), 'True/Provisioned')
      return commits
    }
    const [slices, sliceMs, writes] = [Infinity, Infinity, Infinity]
    const found: number[] = []
    for (const turn of [
      { slices, sliceMs, writes },
      { slices, sliceMs, writes: 40 },
      { slices: 10, sliceMs: 0, writes },
    ]) {
      found.push(await commitsOf(turn))
      await garden.stop()
    }
    // Each run writes a stone and a status.
    assert.deepEqual(found, [1, 6, 12])
  })

  it('is stored once with its first status, and in one transaction with what belongs to it', async () => {
    let commits = 0
    withPlanner(stoneOf, { around: aroundTransactions((inner) => ({ commit: () => (commits++, inner.commit()) })) })
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
    assert.equal(commits, 1)
    assert.equal(garden.counted().writes, 2)
  })
})

describe('a call to the outside', () => {
  it('is one of a bounded number under way, and the next comes when one has ended', async () => {
    let now = 0
    let most = 0
    const apply = async (): Promise<{ readonly type: 'ok' }> => {
      most = Math.max(most, ++now)
      await setImmediate()
      now--
      return { type: 'ok' }
    }
    garden = new Garden({ kinds: THINGS, controllers: [] })
    for (let i = 0; i < 60; i++) await garden.put(Thing, `t${i}`, { n: i })
    const outside: ThingPlanner = () => ({ ...provisioned({ status: {} }), effect: {} })
    const engine = new Engine({
      source: garden.source,
      controllers: [controllerOf(Thing, outside, { actuator: { apply, remove: apply } })],
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
    const ready = (await garden.resources()).filter((r) => garden.condition(Thing, r.metadata.name).startsWith('True'))
    assert.equal(ready.length, 60)
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
