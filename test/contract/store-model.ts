import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Change, Expectation, Op, Outcome, Store } from '#store/store.ts'
import { always } from '#test/support/property.ts'
import type { OpenStore } from './store.ts'
import { bytes, shown, shownChange, text } from './store-values.ts'

/** The store as one would write it with no regard for speed: every state it ever had. */
class Model {
  readonly states: ReadonlyMap<string, { value: string; revision: number }>[] = [new Map()]
  readonly log: string[][] = [[]]

  get revision(): number {
    return this.states.length - 1
  }

  transact(ops: readonly ModelOp[]): string {
    const state = new Map(this.states.at(-1))
    const changes: string[] = []
    const revision = this.revision + 1
    for (const [failed, op] of ops.entries()) {
      const now = state.get(op.key)
      if (!matches(op.expect, now?.revision))
        return `failed ${failed} ${now ? `${op.key}=${now.value}@${now.revision}` : ''}`
      if (op.value !== undefined) state.set(op.key, { value: `${op.value}/${revision}`, revision })
      else state.delete(op.key)
      const value = op.value === undefined ? now?.value : `${op.value}/${revision}`
      if (value !== undefined)
        changes.push(
          `${revision} ${op.value === undefined ? 'delete' : 'put'} ${op.key} ${value} (${now?.value ?? ''})`,
        )
    }
    if (changes.length === 0) return 'no effect'
    this.states.push(state)
    this.log.push(changes)
    return `ok ${revision}`
  }

  list(prefix: string, at: number): string[] {
    return [...this.states[at]!]
      .filter(([key]) => key.startsWith(prefix))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, { value, revision }]) => `${key}=${value}@${revision}`)
  }

  changes(prefix: string, after: number): string[][] {
    return this.log
      .slice(after + 1)
      .map((changes) => changes.filter((change) => change.split(' ')[2]!.startsWith(prefix)))
      .filter((changes) => changes.length > 0)
  }
}

interface ModelOp {
  readonly key: string
  readonly expect: Expectation
  /** undefined: delete */
  readonly value: string | undefined
}

function matches(expect: Expectation, revision: number | undefined): boolean {
  return expect === 'any' || (expect === 'absent' ? revision === undefined : revision === expect)
}

const anyKey = fc.constantFrom('/a/1', '/a/2', '/a/3', '/b/1', '/b/2', '__proto__')
const anyPrefix = fc.constantFrom('', '/a/', '/b/', '/a/2', '__')
/** `newest` stands for the revision the key has when the step runs, so that a compare-and-set often matches. */
const anyOp = fc.record({
  key: anyKey,
  expect: fc.constantFrom('any' as const, 'absent' as const, 'newest' as const, 1),
  value: fc.option(
    fc.string({ maxLength: 5, unit: 'grapheme-ascii' }).map((s) => s.replaceAll(/[ ()/]/g, '')),
    { nil: undefined },
  ),
})
const anyStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('transact' as const),
      ops: fc.uniqueArray(anyOp, { selector: (o) => o.key, minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('watch' as const), prefix: anyPrefix, back: fc.nat(12) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('list' as const),
      prefix: anyPrefix,
      back: fc.nat(12),
      limit: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('compact' as const), back: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('settle' as const) }) },
)
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never

/** Runs random steps, most of them without waiting for the ones before, and compares all that was seen with the model. */
export function storeAgreesWithModel(open: OpenStore, numRuns: number): void {
  test('any interleaving of writes, lists, watches and compactions looks like the model', async () => {
    await always(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 60 }), async (steps) => {
        const store = await open()
        const run = new Run(store)
        for (const next of steps) await run.step(next)
        await run.check()
        await store.close()
      }),
      { numRuns },
    )
  })
}

class Run {
  readonly #store: Store
  readonly #model = new Model()
  readonly #pending: Promise<unknown>[] = []
  readonly #watches: { prefix: string; after: number; seen: string[][] }[] = []

  constructor(store: Store) {
    this.#store = store
  }

  async step(step: Step): Promise<void> {
    if (step.type === 'settle') await Promise.all(this.#pending)
    else if (step.type === 'transact') this.#transact(step.ops)
    else if (step.type === 'compact') this.#pending.push(this.#store.compact(this.#back(step.back)))
    else if (step.type === 'watch') this.#watch(step.prefix, this.#back(step.back))
    else this.#pending.push(this.#list(step.prefix, this.#back(step.back), step.limit))
  }

  async check(): Promise<void> {
    await Promise.all(this.#pending)
    assert.equal(this.#store.revision, this.#model.revision)
    assert.deepEqual(shown(this.#store.entries('')), this.#model.list('', this.#model.revision))
    for (const { prefix, after, seen } of this.#watches) assert.deepEqual(seen, this.#model.changes(prefix, after))
    for (let at = this.#store.floor; at <= this.#model.revision; at++) {
      assert.deepEqual(shown((await this.#store.list('/', { at })).entries), this.#model.list('/', at))
    }
  }

  /** Some revision between the floor and the newest durable one. */
  #back(steps: number): number {
    return Math.max(this.#store.floor, this.#store.revision - steps)
  }

  #transact(ops: readonly { key: string; expect: Expectation | 'newest'; value: string | undefined }[]): void {
    const state = this.#model.states.at(-1)!
    const resolved = ops.map(({ key, expect, value }): ModelOp => {
      return { key, value, expect: expect === 'newest' ? (state.get(key)?.revision ?? 'absent') : expect }
    })
    const expected = this.#model.transact(resolved)
    const outcome = this.#store.transact(resolved.map(storeOp))
    this.#pending.push(outcome.then((actual) => assert.equal(shownOutcome(actual, expected), expected)))
  }

  #watch(prefix: string, after: number): void {
    const watch = { prefix, after, seen: [] as string[][] }
    const listener = (changes: readonly Change[]) => void watch.seen.push(changes.map(shownChange))
    // A compaction that overtakes the replay may end it; then the watch saw a prefix of the truth and is forgotten.
    const started = this.#store.watch(prefix, after, listener).then(
      () => this.#watches.push(watch),
      (error: Error) => assert.equal(error.name, 'Compacted'),
    )
    this.#pending.push(started)
  }

  async #list(prefix: string, at: number, limit: number): Promise<void> {
    const expected = this.#model.list(prefix, at)
    const got: string[] = []
    let after: string | undefined
    do {
      const page = await this.#store.list(prefix, { at, after, limit }).catch((error: Error) => {
        assert.equal(error.name, 'Compacted')
      })
      if (!page) return
      assert.equal(page.revision, at)
      got.push(...shown(page.entries))
      assert.equal(page.remaining, expected.length - got.length)
      after = page.remaining > 0 ? page.entries.at(-1)!.key : undefined
    } while (after !== undefined)
    assert.deepEqual(got, expected)
  }
}

function storeOp({ key, expect, value }: ModelOp): Op {
  if (value === undefined) return { type: 'delete', key, expect }
  return { type: 'put', key, expect, encode: (revision) => bytes(`${value}/${revision}`) }
}

function shownOutcome(outcome: Outcome, expected: string): string {
  if (!outcome.ok) {
    const { current } = outcome
    return `failed ${outcome.failed} ${current ? `${current.key}=${text(current.value)}@${current.revision}` : ''}`
  }
  return expected === 'no effect' ? 'no effect' : `ok ${outcome.revision}`
}
