import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { controllerOf } from '#control/controller.ts'
import { findCondition } from '#domain/condition.ts'
import type { Condition, Resource } from '#domain/object.ts'
import { child, provisioned, waiting } from '#domain/plan/plan.ts'
import { aroundTransactions } from './around.ts'
import { Garden, type GardenOptions } from './fixture.ts'
import { Bed, GARDEN, gardeners, Plot, Sign, Well } from './garden.ts'

/** Notes every status that is stored, as `Kind name status`. */
const noting = (told: string[]) =>
  aroundTransactions((inner) => {
    const statuses = new Map<string, string>()
    return {
      updateStatus: (kind, resource) => {
        const ready = findCondition<Condition>(resource.status?.conditions, 'Ready')
        statuses.set(`${kind.kind} ${resource.metadata.name}`, ready?.status ?? 'none')
        return inner.updateStatus(kind, resource)
      },
      commit: () => {
        told.push(...Array.from(statuses, ([object, status]) => `${object} ${status}`))
        return inner.commit()
      },
    }
  })

describe('what an object goes through on its way', () => {
  let garden: Garden
  let told: string[]
  const open = (options: GardenOptions = {}): void => {
    told = []
    garden = new Garden({ ...options, around: noting(told) }).start()
  }
  afterEach(async () => {
    await garden.stop()
    await garden.registry.close()
  })
  const ofBeds = (): readonly string[] => told.filter((line) => line.startsWith('Bed '))

  it('is not told: a new object says Ready and nothing before it', async () => {
    open()
    await garden.put(Plot, 'p', { soil: 'clay' })
    for (const name of ['x', 'y']) await garden.put(Bed, name, { plot: 'p', crops: ['kale', 'leek'] })
    await garden.settle()
    assert.deepEqual(
      ofBeds().filter((line) => line.endsWith('False')),
      [],
    )
    assert.equal(garden.condition(Bed, 'x'), 'True/Provisioned')
  })

  it('is told once the engine is idle: what stays unready says so', async () => {
    open()
    await garden.put(Plot, 'p', { soil: 'clay' })
    await garden.put(Bed, 'x', { plot: 'p', crops: ['weed'] })
    await garden.settle()
    assert.deepEqual(ofBeds(), ['Bed x False'])
    assert.equal(garden.condition(Bed, 'x'), 'False/SubResourceNotReady')
  })

  it('is told once the engine is idle: what waits for people says so', async () => {
    const well = child(Well, { namespace: 'wells', name: 'w', needs: 'exists', spec: { soil: 'clay' } })
    const asks = controllerOf(Bed, () =>
      waiting('ApprovalPending', 'Somebody decides', { status: {}, children: [well] }),
    )
    open({ kinds: GARDEN, controllers: [asks] })
    await garden.put(Bed, 'x', { plot: 'p', crops: [] })
    await garden.settle()
    assert.deepEqual(ofBeds(), ['Bed x False'])
  })

  it('is told after two seconds although the engine is busy', async () => {
    const stuck = Promise.withResolvers<void>()
    const call = async (): Promise<{ readonly type: 'ok' }> => (await stuck.promise, { type: 'ok' })
    const slow = controllerOf(Sign, () => ({ ...provisioned({ status: {} }), effect: {} }), {
      actuator: { apply: call, remove: call },
    })
    open({ kinds: GARDEN, controllers: [...gardeners.filter((c) => c.kind !== Sign), slow] })
    await garden.put(Plot, 'p', { soil: 'clay' })
    await garden.put(Bed, 'x', { plot: 'p', crops: ['kale'] })
    while (garden.find(Sign, 'a.x', 'signs') === undefined) await new Promise(setImmediate)
    await turns()
    assert.deepEqual(ofBeds(), [])
    garden.clock.advance(2000)
    while (ofBeds().length === 0) await turns()
    assert.deepEqual(ofBeds(), ['Bed x False'])
    stuck.resolve()
    await garden.settle()
    assert.equal(garden.condition(Bed, 'x'), 'True/Provisioned')
  })

  it('is told at once to those who read it', async () => {
    const seen: string[] = []
    const readsBed = controllerOf(Sign, (self, world) => {
      const bed = world.get(Bed, { namespace: 'a', name: self.name.slice(2) })
      seen.push(bed?.condition('Ready')?.status ?? 'nothing')
      return provisioned({ status: {} })
    })
    open({ kinds: GARDEN, controllers: [...gardeners.filter((c) => c.kind !== Sign), readsBed] })
    await garden.put(Plot, 'p', { soil: 'clay' })
    await garden.put(Sign, 'a.x', { text: 'early' })
    await garden.settle()
    await garden.put(Bed, 'x', { plot: 'p', crops: ['kale'] })
    await garden.put(Sign, 'a.x', { text: 'early' }, { namespace: 'a' })
    await garden.settle()
    assert.deepEqual(
      seen.filter((status, i) => status !== seen[i - 1]),
      ['nothing', 'False', 'True'],
    )
  })
})

describe('whoever observes', () => {
  it('hears what was stored before and after, also of what was made ready at once, and nothing of a past before the start', async () => {
    const heard: string[] = []
    const readiness = (resource: Resource | undefined): string =>
      findCondition<Condition>(resource?.status?.conditions, 'Ready')?.status ?? 'none'
    const observe = (before: Resource | undefined, after: Resource | undefined): void => {
      const { kind, metadata } = (after ?? before)!
      heard.push(
        `${kind} ${metadata.name}: ${before === undefined ? 'unknown' : readiness(before)} > ${readiness(after)}`,
      )
    }
    const garden = new Garden({ observe }).start()
    await garden.put(Plot, 'p', { soil: 'clay' })
    await garden.put(Bed, 'x', { plot: 'p', crops: ['kale'] })
    await garden.settle()
    assert.ok(heard.includes('Bed x: none > True'), heard.join('\n'))
    assert.ok(heard.includes('Sign a.x: none > True'), heard.join('\n'))
    await garden.stop()
    heard.length = 0
    garden.start()
    await garden.settle()
    assert.ok(heard.includes('Bed x: unknown > True'), heard.join('\n'))
    assert.equal(
      heard.some((line) => line.includes('none >')),
      false,
    )
    await garden.stop()
    await garden.registry.close()
  })
})

/** Lets whatever can happen now happen. */
async function turns(): Promise<void> {
  for (let i = 0; i < 50; i++) await new Promise(setImmediate)
}
