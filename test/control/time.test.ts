import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { controllerOf } from '#control/controller.ts'
import { notReady, processing } from '#domain/condition.ts'
import { child, provisioned } from '#domain/plan/plan.ts'
import type { World } from '#domain/plan/world.ts'
import { createLog } from '#lib/log.ts'
import { Garden, type GardenOptions } from './fixture.ts'
import { Thing, THINGS, type ThingPlanner } from './thing.ts'

let garden: Garden
const withPlanner = (planner: ThingPlanner, options: GardenOptions = {}): Garden => {
  garden = new Garden({ kinds: THINGS, controllers: [controllerOf(Thing, planner)], ...options }).start()
  return garden
}
const runs = (): number => garden.counted().runs.get('Thing a/t') ?? 0
afterEach(async () => {
  await garden.stop()
  await garden.registry.close()
})

describe('a planner that throws', () => {
  it('is shown, logged and tried again later and later, at most five minutes apart', async () => {
    const lines: string[] = []
    const log = createLog({ destination: { write: (line) => void lines.push(line) } })
    withPlanner(
      () => {
        throw new Error('no idea')
      },
      { log },
    )
    await garden.put(Thing, 't', {})
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'False/Error')
    assert.equal(garden.message(Thing, 't'), 'no idea')
    assert.ok(
      lines.some(
        (line) => line.includes('planning failed') && line.includes('no idea') && /"why":\["(start|created)/.test(line),
      ),
    )
    assert.equal(runs(), 1)
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
      await garden.advance(seconds * 1000 * 0.8)
      assert.equal(runs(), 0, `before ${seconds} s`)
      await garden.advance(seconds * 1000 * 0.1)
      assert.equal(runs(), 1, `after ${seconds} s`)
    }
  })

  it('is tried at once when what it read has changed, and starts afresh after a success', async () => {
    withPlanner((self) => {
      if (self.spec.n === 1) throw new Error('not one')
      return provisioned({ status: { n: self.spec.n } })
    })
    await garden.put(Thing, 't', { n: 1 })
    await garden.advance(10_000)
    await garden.put(Thing, 't', { n: 2 })
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    assert.equal(garden.find(Thing, 't')?.status?.n, 2, 'what was known before stays')
    runs()
    await garden.advance(1000)
    assert.equal(runs(), 1)
  })
})

describe('time is a recorded read', () => {
  it('a plan runs again when the time it asked for has come, not before', async () => {
    withPlanner((self, world) => provisioned({ status: { open: world.reached(self.spec.until ?? '') } }))
    await garden.put(Thing, 't', { until: '2026-06-01T01:00:00Z' })
    await garden.settle()
    assert.equal(garden.find(Thing, 't')?.status?.open, false)
    runs()
    await garden.advance(3_599_999)
    assert.equal(runs(), 0)
    await garden.advance(1)
    assert.equal(garden.find(Thing, 't')?.status?.open, true)
    assert.equal(runs(), 1)
  })

  it('a derivation that asked for a time wakes its readers only when its value changes', async () => {
    const isLate = (world: World): boolean =>
      world.reached('2026-06-01T01:00:00Z') && world.reached('2026-06-01T02:00:00Z')
    withPlanner((_, world) => provisioned({ status: { open: world.derive(isLate) } }))
    await garden.put(Thing, 't', {})
    await garden.settle()
    runs()
    await garden.advance(3_600_000)
    assert.equal(runs(), 0)
    await garden.advance(3_600_000)
    assert.equal(runs(), 1)
    assert.equal(garden.find(Thing, 't')?.status?.open, true)
  })
})

describe('a step back from Ready', () => {
  const parent: ThingPlanner = (self) => {
    if (self.name !== 't') {
      const plan = provisioned({ status: {} })
      const text = 'Busy'
      return self.spec.n === 0
        ? plan
        : { ...plan, conditions: [notReady('Processing', text), processing('Processing', text)] }
    }
    return provisioned({
      status: {},
      children: [child(Thing, { namespace: 'a', name: 'child', spec: { n: self.spec.n } })],
    })
  }

  it('is not written while it may pass, and written when it lasts', async () => {
    withPlanner(parent)
    await garden.put(Thing, 't', { n: 0 })
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
    await garden.put(Thing, 't', { n: 1 })
    await garden.advance(400)
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
    await garden.put(Thing, 't', { n: 0 })
    await garden.advance(1000)
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
    await garden.put(Thing, 't', { n: 1 })
    await garden.advance(500)
    assert.equal(garden.condition(Thing, 't'), 'False/SubResourceNotReady')
    assert.equal(garden.condition(Thing, 't', 'Processing'), 'True/SubResourceNotReady')
    await garden.put(Thing, 't', { n: 0 })
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
  })

  it('says at once what a first provisioning waits for', async () => {
    withPlanner(parent)
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'False/SubResourceNotReady')
  })
})

describe('a plan that undoes itself', () => {
  it('is stopped with a condition and counted, and looked at again later', async () => {
    withPlanner((self) => provisioned({ status: { open: self.status.open !== true } }))
    await garden.put(Thing, 't', {})
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'False/Error')
    assert.match(garden.message(Thing, 't') ?? '', /keeps undoing/)
    assert.equal(garden.cycles, 1)
    assert.ok(runs() < 40)
    await garden.advance(1000)
    assert.equal(runs(), 0)
    await garden.advance(1000)
    assert.equal(garden.cycles, 2)
  })

  it('is stopped also when two objects chase each other', async () => {
    withPlanner((self, world) => {
      const peer = world.get(Thing, { namespace: 'a', name: self.spec.peer ?? '' })
      return provisioned({ status: { n: ((peer?.status.n ?? 0) + (self.name === 't' ? 1 : 0)) % 3 } })
    })
    await garden.put(Thing, 't', { peer: 'u' })
    await garden.put(Thing, 'u', { peer: 't' })
    await garden.settle()
    assert.ok(garden.cycles >= 1)
    assert.ok([garden.condition(Thing, 't'), garden.condition(Thing, 'u')].includes('False/Error'))
  })

  it('is not confused with one that is told something new again and again', async () => {
    withPlanner((self) => provisioned({ status: { n: self.spec.n } }))
    for (let i = 0; i < 40; i++) {
      await garden.put(Thing, 't', { n: i % 2 })
      await garden.settle()
    }
    assert.equal(garden.cycles, 0)
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
  })
})
