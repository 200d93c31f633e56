import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { applied, refused, retry, retryAfter, type Actuator, type ActuatorResult } from '#control/actuator.ts'
import { controllerOf } from '#control/controller.ts'
import { simulate } from '#control/simulate.ts'
import { TEST_INSTALLATION } from '#control/world.ts'
import { FINALIZER, type Resource } from '#domain/object.ts'
import { denied, provisioned, waiting } from '#domain/plan/plan.ts'
import { aroundTransactions } from './around.ts'
import { dumpOf, Garden, type GardenOptions } from './fixture.ts'
import { Thing, THINGS, type ThingPlanner } from './thing.ts'

/** Registers a number somewhere, as long as the object says so. */
const registers: ThingPlanner = (self) => {
  const status = { n: self.spec.n, text: self.status.text }
  if (self.spec.state === 'wait') return waiting('PreconditionNotMet', 'Wait', { status })
  if (self.spec.state === 'deny') return denied('AccessDenied', 'No', { status: {} })
  return provisioned({ status, effect: { n: self.spec.n } })
}

/** A place outside that answers as told. */
class Backend implements Actuator {
  readonly calls: string[] = []
  answers: ActuatorResult[] = []
  /** What happens before it answers. */
  called: (self: Resource, n: number | undefined) => Promise<void> | undefined | void = () => undefined

  async apply(self: Resource, effect: { readonly n?: number }): Promise<ActuatorResult> {
    await this.called(self, effect.n)
    this.calls.push(`put ${effect.n}`)
    return this.answers.shift() ?? applied({ text: `id-${effect.n}` })
  }

  remove(self: { readonly status?: { readonly text?: string } }): Promise<ActuatorResult> {
    this.calls.push(`delete ${self.status?.text}`)
    return Promise.resolve(this.answers.shift() ?? applied())
  }

  assume(_: unknown, effect: { readonly n?: number }): object {
    return { text: `id-${effect.n}` }
  }
}

let garden: Garden
const start = (options: GardenOptions = {}): Backend => {
  const backend = new Backend()
  const controllers = [controllerOf(Thing, registers, { actuator: backend })]
  garden = new Garden({ kinds: THINGS, controllers, ...options }).start()
  return backend
}
afterEach(async () => {
  await garden.stop()
  await garden.registry.close()
})

describe('an actuator', () => {
  it('is not called before what it rests on is stored, and sees that', async () => {
    let refusals = 2
    const backend = start({
      around: aroundTransactions((inner) => ({
        commit: () => {
          if (refusals-- <= 0) return inner.commit()
          assert.deepEqual(backend.calls, [])
          return Promise.resolve({ kind: Thing, ref: { namespace: 'a', name: 't' } })
        },
      })),
    })
    const versions: unknown[] = []
    backend.called = (self) => void versions.push(self.metadata)
    await garden.put(Thing, 't', { n: 1 })
    for (let pause = 1000; backend.calls.length === 0; pause *= 2) await garden.advance(pause)
    assert.deepEqual(backend.calls, ['put 1'])
    const [seen] = versions as [{ readonly finalizers: unknown; readonly resourceVersion: string }]
    assert.deepEqual(seen.finalizers, [FINALIZER])
    assert.match(seen.resourceVersion, /^\d+$/)
  })

  it('that comes back to an object which has changed is asked again for what is true now', async () => {
    const gate = Promise.withResolvers<void>()
    const backend = start()
    backend.called = (_, n) => (n === 1 ? gate.promise : undefined)
    await garden.put(Thing, 't', { n: 1 })
    while (garden.find(Thing, 't')?.metadata.finalizers === undefined) await new Promise(setImmediate)
    await garden.put(Thing, 't', { n: 2 })
    gate.resolve()
    await garden.advance(1000)
    assert.deepEqual(backend.calls, ['put 1', 'put 2'])
    assert.equal(garden.find(Thing, 't')?.status?.text, 'id-2')
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
  })

  it('is called once per effect, also after a restart, and again when the effect changes', async () => {
    const backend = start()
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
    assert.equal(garden.find(Thing, 't')?.status?.text, 'id-1')
    assert.deepEqual(garden.find(Thing, 't')?.metadata.finalizers, [FINALIZER])
    await garden.put(Thing, 't', { n: 1 }, { metadata: { labels: { a: 'b' } } })
    await garden.stop()
    garden.start()
    await garden.settle()
    assert.deepEqual(backend.calls, ['put 1'])
    await garden.put(Thing, 't', { n: 2 })
    await garden.settle()
    assert.deepEqual(backend.calls, ['put 1', 'put 2'])
  })

  it('waiting leaves the effect alone, denied takes it back', async () => {
    const backend = start()
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    await garden.put(Thing, 't', { n: 1, state: 'wait' })
    await garden.settle()
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    assert.deepEqual(backend.calls, ['put 1'])
    await garden.put(Thing, 't', { n: 1, state: 'deny' })
    await garden.settle()
    assert.deepEqual(backend.calls, ['put 1', 'delete id-1'])
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    assert.deepEqual(backend.calls, ['put 1', 'delete id-1', 'put 1'])
  })

  it('that is blocked says so and is tried again rarely', async () => {
    const backend = start()
    backend.answers = [refused('Unknown client: ask its owner')]
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'False/Blocked')
    assert.equal(garden.message(Thing, 't'), 'Unknown client: ask its owner')
    await garden.advance(29 * 60_000)
    assert.equal(backend.calls.length, 1)
    await garden.advance(60_000)
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
  })

  it('that asks for a retry gets it after the back-off, or when it says', async () => {
    const backend = start()
    backend.answers = [retry('502'), retryAfter(3, '429')]
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    assert.equal(garden.condition(Thing, 't'), 'False/Processing')
    await garden.advance(1000)
    assert.equal(garden.message(Thing, 't'), '429')
    await garden.advance(2999)
    assert.equal(backend.calls.length, 2)
    await garden.advance(1)
    assert.equal(garden.condition(Thing, 't'), 'True/Provisioned')
  })

  it('holds the object until its effect is undone', async () => {
    const backend = start()
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    backend.answers = [retry('down')]
    await garden.delete(Thing, 't')
    await garden.settle()
    assert.deepEqual(garden.find(Thing, 't')?.metadata.finalizers, [FINALIZER])
    assert.equal(garden.message(Thing, 't'), 'down')
    await garden.advance(1000)
    assert.deepEqual(backend.calls, ['put 1', 'delete id-1', 'delete id-1'])
    assert.equal(garden.find(Thing, 't'), undefined)
  })

  /** An engine that stops while a call is under way: what was intended is stored, how it ended nobody hears. */
  const interrupted = async (backend: Backend, n: number): Promise<void> => {
    const [called, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    backend.called = () => (called.resolve(), gate.promise)
    await garden.put(Thing, 't', { n })
    await called.promise
    assert.equal(garden.find(Thing, 't')?.status?.text, 'begun')
    const stopped = garden.stop()
    gate.resolve()
    await stopped
    backend.called = () => undefined
    backend.calls.length = 0
  }
  const cautious = {
    intend: () => ({ text: 'begun' }),
    isUnfinished: ({ status }: Resource<any, any>) => status?.text === 'begun',
  }

  it('that was interrupted is called again, also when what is wanted now was true before that', async () => {
    const backend = Object.assign(start(), cautious)
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    await interrupted(backend, 2)
    await garden.put(Thing, 't', { n: 1 })
    garden.start()
    await garden.settle()
    assert.deepEqual(backend.calls, ['put 1'])
    assert.equal(garden.find(Thing, 't')?.status?.text, 'id-1')
  })

  it('that was interrupted the first time takes back what may be true, when it is denied', async () => {
    const backend = Object.assign(start(), cautious)
    await interrupted(backend, 1)
    await garden.put(Thing, 't', { n: 1, state: 'deny' })
    garden.start()
    await garden.settle()
    assert.deepEqual(backend.calls, ['delete begun'])
  })

  it('is assumed to succeed in a simulation and not called', async () => {
    const backend = start()
    await garden.put(Thing, 't', { n: 1 })
    await garden.settle()
    const { resources, differences } = await simulate({
      resources: await garden.resources(),
      changes: [
        {
          type: 'apply',
          kind: Thing,
          resource: { metadata: { name: 't', namespace: 'a' }, spec: { ...garden.find(Thing, 't')?.spec, n: 2 } },
        },
      ],
      controllers: [controllerOf(Thing, registers, { actuator: backend })],
      kinds: THINGS,
      now: garden.clock.now(),
      installation: TEST_INSTALLATION,
    })
    assert.deepEqual(backend.calls, ['put 1'])
    assert.deepEqual(
      differences.map((d) => d.after?.metadata.name),
      ['t'],
    )
    await garden.put(Thing, 't', { ...garden.find(Thing, 't')?.spec, n: 2 })
    await garden.settle()
    assert.deepEqual(await garden.dump(), dumpOf(resources))
  })
})
