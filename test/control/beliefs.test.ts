import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Beliefs } from '#control/beliefs.ts'
import { controllerOf } from '#control/controller.ts'
import { entityOf } from '#control/entity.ts'
import { Tracker } from '#control/tracker.ts'
import { TEST_INSTALLATION } from '#control/world.ts'
import type { Resource } from '#domain/object.ts'
import { provisioned } from '#domain/plan/plan.ts'
import { ManualClock } from '#lib/clock.ts'
import { aroundTransactions } from './around.ts'
import { Garden } from './fixture.ts'
import { Stone, Thing, THINGS, type ThingPlanner } from './thing.ts'

const stone: Resource = {
  apiVersion: 'things.test/v1',
  kind: 'Stone',
  metadata: { namespace: 'a', name: 's', uid: '1', resourceVersion: '1' },
  spec: {},
}
const ENTITY = entityOf(stone)

function open(): { readonly clock: ManualClock; readonly beliefs: Beliefs } {
  const clock = new ManualClock(0)
  const tracker = new Tracker({ installation: TEST_INSTALLATION, now: () => clock.now() })
  return { clock, beliefs: new Beliefs({ tracker, clock }) }
}

describe('an object that somebody else was faster with', () => {
  it('is contended until something is heard of it', () => {
    const { beliefs } = open()
    assert.equal(beliefs.isContended(ENTITY), false)
    beliefs.contend(ENTITY)
    assert.equal(beliefs.isContended(ENTITY), true)
    beliefs.hear({ type: 'MODIFIED', resource: { ...stone, metadata: { ...stone.metadata, name: 'other' } } })
    assert.equal(beliefs.isContended(ENTITY), true, 'of another one')
    beliefs.hear({ type: 'MODIFIED', resource: stone })
    assert.equal(beliefs.isContended(ENTITY), false)
    beliefs.contend(ENTITY)
    beliefs.hear({ type: 'DELETED', resource: stone })
    assert.equal(beliefs.isContended(ENTITY), false)
  })

  it('is contended for less than a second when nothing is heard of it, counted from the last time', () => {
    const { beliefs, clock } = open()
    beliefs.contend(ENTITY)
    clock.advance(500)
    beliefs.contend(ENTITY)
    clock.advance(899)
    assert.equal(beliefs.isContended(ENTITY), true)
    clock.advance(1)
    assert.equal(beliefs.isContended(ENTITY), false)
  })

  it('is not written meanwhile, for whatever reason its plan runs; what was stored together with it is', async () => {
    const [writes, refused] = [new Map<string, number>(), { kind: Thing, ref: { namespace: 'a', name: 't' } }]
    let refusals = 1
    const around = aroundTransactions((inner) => ({
      updateStatus: (kind, resource) => {
        writes.set(resource.metadata.name, (writes.get(resource.metadata.name) ?? 0) + 1)
        return inner.updateStatus(kind, resource)
      },
      commit: () => (refusals-- > 0 ? Promise.resolve(refused) : inner.commit()),
    }))
    const planner: ThingPlanner = (_, world) =>
      provisioned({ status: { n: world.get(Stone, { namespace: 'a', name: 's' })?.spec.n } })
    const garden = new Garden({ kinds: THINGS, controllers: [controllerOf(Thing, planner)], around })
    for (const name of ['t', 'u']) await garden.put(Thing, name, {})
    garden.start()
    await garden.settle()
    assert.equal(garden.condition(Thing, 'u'), 'True/Provisioned')
    assert.equal(garden.condition(Thing, 't'), 'none')
    await garden.put(Stone, 's', { n: 1 })
    await garden.settle()
    assert.equal(garden.find(Thing, 'u')?.status.n, 1)
    assert.equal(garden.condition(Thing, 't'), 'none')
    assert.equal(writes.get('t'), 1, 'the one that was refused')
    await garden.put(Thing, 't', { n: 7 })
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
    assert.equal(garden.find(Thing, 't')?.status.n, 1)
    await garden.stop()
    await garden.registry.close()
  })

  it('is tried again after a while when nothing is heard of it', async () => {
    let refusals = 1
    const refused = { kind: Thing, ref: { namespace: 'a', name: 't' } }
    const around = aroundTransactions((inner) => ({
      commit: () => (refusals-- > 0 ? Promise.resolve(refused) : inner.commit()),
    }))
    const garden = new Garden({
      kinds: THINGS,
      controllers: [controllerOf(Thing, () => provisioned({ status: {} }))],
      around,
    })
    await garden.put(Thing, 't', {})
    garden.start()
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'none')
    for (let i = 0; i < 30; i++) await garden.advance(100)
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
    await garden.stop()
    await garden.registry.close()
  })
})

describe('what was stored before our own write', () => {
  it('is what the news of that write are compared with', async () => {
    const seen: string[] = []
    const told = (o: Resource | undefined): string => `${o?.metadata.generation ?? 'none'}`
    const garden = new Garden({
      kinds: THINGS,
      controllers: [controllerOf(Thing, (self) => provisioned({ status: { n: self.spec.n } }))],
      observe: (before, after) =>
        void seen.push(`${told(before)}>${told(after)} ${JSON.stringify((before?.status as any)?.n)}`),
    }).start()
    await garden.settle()
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    await garden.put(Thing, 't', { n: 2 })
    await garden.settle()
    assert.deepEqual(seen, ['1>1 undefined', '1>1 undefined', '1>2 1', '2>2 1'])
    await garden.stop()
    await garden.registry.close()
  })
})
