import assert from 'node:assert/strict'
import { aroundTransactions, transactionOf } from './around.ts'
import { setImmediate } from 'node:timers/promises'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { TurnLimits } from '#control/engine-options.ts'
import { StatusError } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import { simulate, type SimulatedChange } from '#control/simulate.ts'
import { TEST_INSTALLATION } from '#control/world.ts'
import type { Refused, ResourceSource } from '#source/source.ts'
import { always } from '#test/support/property.ts'
import { dumpOf, Garden, type GardenOptions } from './fixture.ts'
import { GARDEN, gardeners } from './garden.ts'
import { allPlots, endOf, KIND, perform, step, steps, type Step } from './stories.ts'

const RUNS = 30

/** One step of one run is a turn; a turn ends when there is nothing left to do. */
const SHORT: TurnLimits = { slices: 1, sliceMs: 0, writes: 1 }
const ENDLESS: TurnLimits = { slices: Infinity, sliceMs: Infinity, writes: Infinity }
const turns = fc.constantFrom(undefined, SHORT, ENDLESS)

async function told(
  story: readonly Step[],
  options: GardenOptions & { readonly pause?: boolean } = {},
): Promise<Garden> {
  const garden = new Garden(options).start()
  for (const next of story) {
    await perform(garden, next)
    if (options.pause === true) await garden.settle()
  }
  await garden.settle()
  return garden
}

/** Whatever happened, each object has its two readers, each derivation its one, and nobody else reads anything. */
async function closed(garden: Garden): Promise<void> {
  const { readers, objects, derivations } = garden.engine.stats
  assert.equal(readers, 2 * objects + derivations)
  await garden.stop()
  await garden.registry.close()
}

/** Delays writes and changes by turns of the event loop, as `delays` says, so that everything overlaps with everything. */
function unsteady(delays: readonly number[]): (source: ResourceSource) => ResourceSource {
  let at = 0
  const wait = async (): Promise<void> => {
    for (let left = delays[at++ % delays.length] ?? 0; left > 0; left--) await setImmediate()
  }
  let line = Promise.resolve()
  return (source) => ({
    ...source,
    follow: (kinds, follower, signal) => {
      const queued = (call: () => void): void => void (line = line.then(wait).then(call))
      return source.follow(
        kinds,
        { snapshot: (r) => queued(() => follower.snapshot(r)), changed: (c) => queued(() => follower.changed(c)) },
        signal,
      )
    },
    begin: () => {
      const inner = source.begin()
      const commit = async (): Promise<Refused | undefined> => {
        await wait()
        const refused = await inner.commit()
        await line
        return refused
      }
      return { ...transactionOf(inner), commit }
    },
  })
}

const refusals = fc.array(fc.constantFrom(0, 0, 1, 2, 3), { minLength: 20, maxLength: 60 })
const delays = fc.array(fc.nat(4), { minLength: 1, maxLength: 20 })

async function settledLate(garden: Garden): Promise<void> {
  for (let turn = 0; turn < 40; turn++) await setImmediate()
  await garden.settle()
}

describe('over random worlds', () => {
  it('the result does not depend on the order of events nor on their timing', async () => {
    await always(
      fc.asyncProperty(steps, delays, turns, turns, fc.infiniteStream(fc.nat()), async (...example) => {
        const [story, pace, turn, another, order] = example
        const whole = [...story, ...allPlots]
        const end = endOf(whole)
        const shuffled = end
          .map((s) => [order.next().value, s] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, s]) => s)
        const gardens = [
          await told(whole, { pause: true }),
          await told(shuffled, { turn }),
          await told(whole, { around: unsteady(pace), turn: another }),
        ]
        await settledLate(gardens[2]!)
        for (const garden of gardens) await garden.advance(1000)
        const [first, ...others] = await Promise.all(gardens.map((garden) => garden.dump()))
        for (const other of others) assert.deepEqual(other, first)
        await Promise.all(gardens.map(closed))
      }),
      { numRuns: RUNS },
    )
  })

  it('a second run, and a restart, write nothing', async () => {
    await always(
      fc.asyncProperty(steps, turns, async (story, turn) => {
        const garden = await told(story, { turn })
        garden.counted()
        await garden.stop()
        garden.start()
        await garden.advance(1000)
        assert.equal(garden.counted().writes, 0)
        await closed(garden)
      }),
      { numRuns: RUNS },
    )
  })

  it('taking an input away and giving it back returns to the same world', async () => {
    await always(
      fc.asyncProperty(steps, turns, fc.nat(), async (story, turn, pick) => {
        const end = endOf([...story, ...allPlots])
        const garden = await told(end, { turn })
        const before = await garden.dump()
        const input = end[pick % end.length]!
        await perform(garden, { ...input, type: 'delete' })
        await garden.settle()
        await perform(garden, input)
        await garden.advance(1000)
        assert.deepEqual(await garden.dump(), before)
        await closed(garden)
      }),
      { numRuns: RUNS },
    )
  })

  it('a crash between any two writes converges to the same world', async () => {
    await always(
      fc.asyncProperty(steps, turns, fc.nat(40), async (story, turn, crashAfter) => {
        const end = endOf([...story, ...allPlots])
        const calm = await told(end)
        const expected = await calm.dump()
        const garden = new Garden({ around: failingAfter(crashAfter), turn })
        garden.start()
        for (const next of end) await perform(garden, next)
        await garden.settle()
        await garden.stop()
        garden.start()
        await garden.advance(1000)
        assert.deepEqual(await garden.dump(), expected)
        await Promise.all([closed(calm), closed(garden)])
      }),
      { numRuns: RUNS },
    )
  })

  it('turns that are refused, for whatever object, change nothing about the result', async () => {
    await always(
      fc.asyncProperty(steps, turns, refusals, async (story, turn, refused) => {
        const whole = [...story, ...allPlots, ...story.map((s): Step => ({ ...s, type: 'delete' }))]
        const calm = await told(whole, { pause: true })
        const garden = await told(whole, { around: refusing(refused), turn, pause: true })
        for (let wait = 0; wait < refused.length; wait++) await garden.advance(300_000)
        await calm.advance(1000)
        assert.deepEqual(await garden.dump(), await calm.dump())
        await Promise.all([closed(calm), closed(garden)])
      }),
      { numRuns: RUNS },
    )
  })

  it('what is gone twice in one turn is forgotten once', async () => {
    const bed = (namespace: string): Step => ({
      type: 'put',
      kind: 'Bed',
      name: 'b',
      namespace,
      spec: { plot: 'p', crops: [] },
    })
    const story = [bed('a'), bed('x--y')]
    const whole = [...story, ...allPlots, ...story.map((s): Step => ({ ...s, type: 'delete' }))]
    const garden = await told(whole, { around: refusing([0, 0, 0, 0, 0, 3]), pause: true })
    for (let wait = 0; wait < 6; wait++) await garden.advance(300_000)
    await closed(garden)
  })

  it('simulation predicts exactly what the engine then makes', async () => {
    await always(
      fc.asyncProperty(steps, turns, fc.array(step, { minLength: 1, maxLength: 3 }), async (story, turn, changes) => {
        const garden = await told(story, { graceMs: 0, turn })
        const resources = await garden.resources()
        const later = changes.filter(
          (c) => c.type === 'put' || garden.find(KIND[c.kind], c.name, c.namespace) !== undefined,
        )
        const unique = later.filter(
          (c, i) => later.findIndex((o) => o.kind === c.kind && o.name === c.name && o.namespace === c.namespace) === i,
        )
        const simulated = await simulate({
          resources,
          changes: unique.map(asChange),
          controllers: gardeners,
          kinds: GARDEN,
          now: garden.clock.now(),
          installation: TEST_INSTALLATION,
        })
        for (const change of unique) await perform(garden, change)
        await garden.advance(1000)
        assert.deepEqual(dumpOf(simulated.resources), await garden.dump())
        await closed(garden)
      }),
      { numRuns: RUNS },
    )
  })
})

function asChange({ kind, name, namespace, ...rest }: Step): SimulatedChange {
  if (rest.type === 'delete') return { type: 'delete', kind: KIND[kind], ref: { namespace, name } }
  return { type: 'apply', kind: KIND[kind], resource: { metadata: { name, namespace }, spec: rest.spec } }
}

/** Somebody is always faster: 1 and 2 refuse a turn for its first or its last object, 3 because the server is not well. */
function refusing(how: readonly number[]): (source: ResourceSource) => ResourceSource {
  const left = [...how]
  return aroundTransactions((inner) => {
    const written: Refused[] = []
    const noting =
      <R extends { readonly metadata: { readonly name: string; readonly namespace?: string | undefined } }, T>(
        write: (kind: Kind, resource: R) => T,
      ) =>
      (kind: Kind, resource: R): T => {
        const { name, namespace = '' } = resource.metadata
        written.push({ kind, ref: { name, namespace } })
        return write(kind, resource)
      }
    return {
      create: noting((kind, draft) => inner.create(kind, draft)),
      update: noting((kind, resource) => inner.update(kind, resource)),
      updateStatus: noting((kind, resource) => inner.updateStatus(kind, resource)),
      delete: (kind, ref, preconditions) => {
        written.push({ kind, ref })
        return inner.delete(kind, ref, preconditions)
      },
      commit: () => {
        const next = left.shift() ?? 0
        if (next === 3) return Promise.reject(new StatusError('TooManyRequests', 'later', { retryAfterSeconds: 1 }))
        return next === 0 ? inner.commit() : Promise.resolve(written.at(next === 1 ? 0 : -1))
      },
    }
  })
}

/** The first engine's writes never return after the nth: as if the process had died there. Later engines are well. */
function failingAfter(count: number): (source: ResourceSource) => ResourceSource {
  let left = count
  let engines = 0
  return (source) => {
    if (engines++ > 0) return source
    const dead = (): never => {
      throw new Error('the process died')
    }
    const alive = (): void => {
      if (left-- <= 0) dead()
    }
    return aroundTransactions((inner) => ({
      create: (kind, draft) => (alive(), inner.create(kind, draft)),
      update: (kind, resource) => (alive(), inner.update(kind, resource)),
      updateStatus: (kind, resource) => (alive(), inner.updateStatus(kind, resource)),
      delete: (kind, ref, preconditions) => (alive(), inner.delete(kind, ref, preconditions)),
    }))(source)
  }
}
