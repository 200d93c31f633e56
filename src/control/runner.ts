import type { Verdict } from '#domain/condition.ts'
import { equal } from '#domain/equal.ts'
import { isStatus, StatusError } from '#domain/errors.ts'
import type { Resource } from '#domain/object.ts'
import type { Plan } from '#domain/plan/plan.ts'
import { type ActuatorResult, fingerprint } from './actuator.ts'
import { applyPlan, type Applied, type Hands } from './apply.ts'
import type { Bench } from './bench.ts'
import { entityOfRef } from './decide.ts'
import {
  type Acted,
  actedBy,
  type Call,
  effectOf,
  isCall,
  type Outside,
  removalOf,
  withoutFinalizer,
} from './effects.ts'
import { entityOf } from './entity.ts'
import { Facet, withoutConditions } from './facets.ts'
import { failed, overruled } from './fold.ts'
import { goesInCircles, type Item } from './item.ts'
import { graceOf, holdOf, newStatus, writeStatus } from './telling.ts'
import type { Cause, Recorded } from './tracker.ts'
import { RecordedView } from './view.ts'
import { Outdated, type Written } from './writer.ts'

/** What comes after a run. */
export interface Next {
  /** Run again then. */
  readonly at?: number | undefined
  readonly cause?: Cause
  /** Run again after the usual back-off. */
  readonly failed?: boolean
  /** Run again when something is heard of this object. */
  readonly outdated?: Outdated
  readonly error?: unknown
  readonly untilWarm?: boolean
  /** Children that change hands when the engine is idle. */
  readonly handOvers?: readonly string[]
  /** Its status waits for the engine to be idle. */
  readonly held?: boolean
  /** The object is gone and nothing of it is left. */
  readonly gone?: boolean
  /** Something has to happen outside first, once this turn is stored. */
  readonly errand?: Errand
  readonly outcome: string
}

/** A call to the outside, and how the run goes on when it has ended. */
export interface Errand {
  readonly perform: Call['perform']
  /** In another turn. `self`: the object the call was made for, as it was stored then. */
  readonly goOn: (self: Resource, result: ActuatorResult, run: Written[]) => Next
}

/** Synchronous: from the first read to the last write the world stands still. */
export function runItem(bench: Bench, item: Item, run: Written[]): Next {
  return guarded(bench, item, run, (hands) => {
    const self = bench.tracker.cache.get(item.entity)
    if (self === undefined) return buryOwned(bench, item, hands)
    if (self.metadata.deletionTimestamp !== undefined) return leave(bench, item, self, hands)
    return reconcile(bench, item, self, hands)
  })
}

function guarded(bench: Bench, item: Item, run: Written[], work: (hands: Hands) => Next): Next {
  const hands: Hands = { writer: bench.writer(), kindOf: bench.kindOf, settled: bench.settled, run }
  try {
    return work(hands)
  } catch (error) {
    if (error instanceof Outdated) return { outcome: 'outdated', outdated: error }
    return fail(bench, { item, hands, error })
  }
}

/** The errand of a run: what it found out counts only for the object it was run for. */
function errandOf(bench: Bench, item: Item, call: Call, then: (acted: Acted, hands: Hands) => Next): Errand {
  return {
    perform: call.perform,
    goOn: (self, result, run) =>
      guarded(bench, item, run, (hands) => {
        const { resourceVersion } = self.metadata
        const now = bench.tracker.cache.get(item.entity)
        if (now?.metadata.resourceVersion !== resourceVersion) throw new Outdated(item.entity, resourceVersion)
        return then(actedBy(now!, call, result, outsideOf(bench, item, hands)), hands)
      }),
  }
}

/** The owner is gone: what it had in other namespaces goes too, unless another plan desires it. */
function buryOwned(bench: Bench, item: Item, hands: Hands): Next {
  forget(bench, item)
  const facts = bench.facts()
  if (!facts.warm) return { outcome: 'gone', untilWarm: true }
  for (const resource of facts.owned.ofEntity(item.entity)) {
    const heir = facts.desires.writer(entityOf(resource))
    if (heir !== undefined) bench.enqueue(heir, { type: 'desire', entity: entityOf(resource) })
    else if (resource.metadata.deletionTimestamp === undefined) {
      hands.writer.delete(bench.kindOf(`${resource.apiVersion}/${resource.kind}`), resource, hands.run)
    }
  }
  return { outcome: 'gone', gone: true }
}

function leave(bench: Bench, item: Item, self: Resource, hands: Hands): Next {
  forget(bench, item)
  const step = removalOf(self, outsideOf(bench, item, hands))
  if (step === undefined) return { outcome: 'deleting' }
  if (!isCall(step)) return stay(bench, item, step, hands)
  const errand = errandOf(bench, item, step, (acted, later) => {
    if (acted.retryAt !== undefined) return stay(bench, item, acted, later)
    later.writer.update(item.controller.kind, withoutFinalizer(acted.self), later.run)
    return { outcome: 'deleting' }
  })
  return { outcome: 'deleting', errand }
}

/** Something of it is still left outside. */
function stay(bench: Bench, item: Item, { self, verdicts: why, retryAt }: Acted, hands: Hands): Next {
  const verdicts = overruled(verdictsOf(self), why)
  writeStatus(bench, item, hands, { self, status: withoutConditions(self.status), verdicts })
  return { outcome: 'deleting', at: retryAt, cause: { type: 'retry' } }
}

/** An object that is (about to be) gone reads nothing and desires nothing. */
function forget(bench: Bench, item: Item): void {
  bench.tracker.record(item.reads, () => undefined)
  bench.tracker.record(item.watches, () => undefined)
  item.watched = undefined
  for (const other of bench.facts().desires.drop(item.entity))
    bench.enqueue(other, { type: 'desire', entity: item.entity })
}

function reconcile(bench: Bench, item: Item, self: Resource, hands: Hands): Next {
  const { value: plan, wakeAt } = planItem(bench, item, self)
  if (item.burst?.stopped === true && item.burst.id === bench.burst())
    return { outcome: 'stopped circling', at: circleEnd(bench, item) }
  const applied = applyPlan(bench.facts(), hands, self, plan)
  const step = effectOf(self, plan, outsideOf(bench, item, hands))
  const planned: Planned = { plan, wakeAt, applied }
  if (!isCall(step)) return conclude(bench, item, { ...planned, acted: step }, hands)
  const errand = errandOf(bench, item, step, (acted, later) => conclude(bench, item, { ...planned, acted }, later))
  return { outcome: plan.outcome, errand }
}

interface Planned {
  readonly plan: Plan
  readonly wakeAt: number | undefined
  readonly applied: Applied
}

/** Says on the object what has become of the plan. */
function conclude(bench: Bench, item: Item, run: Planned & { readonly acted: Acted }, hands: Hands): Next {
  const { plan, wakeAt, applied, acted } = run
  const verdicts = overruled(applied.verdicts, acted.verdicts)
  const graceEnd = graceOf(bench, item, acted.self, applied)
  const status = { ...(plan.status as object), ...acted.status }
  const next = { self: acted.self, status, verdicts, keep: graceEnd !== undefined }
  const wanted = newStatus(bench, item, next)
  const holdEnd = wanted === undefined ? undefined : holdOf(bench, item, acted, { ...next, run: hands.run })
  if (holdEnd === undefined) {
    item.held = undefined
    if (wanted !== undefined) hands.writer.updateStatus(item.controller.kind, wanted, hands.run)
  }
  if (hands.run.length > 0 && goesInCircles(item, bench.burst(), () => fingerprint(stateOf(plan, verdicts)))) {
    return stopCircling(bench, item, hands)
  }
  return {
    outcome: plan.outcome,
    untilWarm: applied.untilWarm,
    handOvers: applied.handOvers,
    held: holdEnd !== undefined,
    at: earliest(wakeAt, graceEnd, acted.retryAt, holdEnd),
    ...(acted.retryAt !== undefined && { cause: { type: 'retry' } }),
  }
}

const earliest = (...times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

const outsideOf = (bench: Bench, item: Item, hands: Hands): Outside => ({
  item,
  hands,
  context: bench.context,
  now: () => bench.clock.now(),
  random: bench.random,
})

function planItem(bench: Bench, item: Item, self: Resource): Recorded<Plan> {
  const recorded = bench.tracker.record(item.reads, (world, recorder) => {
    const base = recorder.base(item.entity)
    recorder.read(base + Facet.exists)
    recorder.read(base + Facet.spec)
    const plan = item.controller.planner(new RecordedView(self, recorder, base), world)
    // Its label says which environment that belongs to.
    if (plan.children.length + plan.patches.length > 0 && !namesEnvironment(self)) recorder.read(base + Facet.metadata)
    return plan
  })
  const plan = recorded.value
  const children = plan.children.map(entityOfRef)
  watchFor(bench, item, plan, children)
  const heirs = bench.facts().desires.set(self, children)
  for (const other of heirs) bench.enqueue(other, { type: 'desire', entity: item.entity })
  return recorded
}

const namesEnvironment = ({ metadata }: Resource): boolean => (metadata.namespace ?? '').indexOf('--') > 0

/** What the engine itself watches for the object: its status, its children, what it patches. Mostly the same as before. */
function watchFor(bench: Bench, item: Item, plan: Plan, children: readonly string[]): void {
  const patched = plan.patches.map(entityOfRef)
  const watched = [...plan.children.map(({ needs }, i) => `${needs} ${children[i]}`), ...patched]
  if (equal(watched, item.watched)) return
  bench.tracker.record(item.watches, (_, recorder) => {
    const own = recorder.base(item.entity)
    for (const facet of [Facet.status, Facet.conditions]) recorder.read(own + facet)
    for (const other of [...children, ...patched]) {
      const base = recorder.base(other)
      for (const facet of [Facet.exists, Facet.metadata, Facet.spec]) recorder.read(base + facet)
    }
    for (const [i, { needs }] of plan.children.entries())
      if (needs !== 'exists') recorder.read(recorder.base(children[i]!) + Facet.ready)
  })
  item.watched = watched
}

const verdictsOf = (self: Resource): readonly Verdict[] => self.status?.conditions ?? []

const stateOf = (plan: Plan, verdicts: readonly Verdict[]): unknown => ({
  children: plan.children.map((child) => [entityOfRef(child), child.spec, child.labels]),
  status: plan.status,
  verdicts,
})

const CIRCLE = 'The plan keeps undoing what it did: two rules contradict each other. It is tried again later'

/** A state seen again and again in one burst: stop writing, say so, and look again after a growing pause. */
function stopCircling(bench: Bench, item: Item, hands: Hands): Next {
  item.cycles++
  const self = bench.tracker.cache.get(item.entity)
  if (self !== undefined) {
    const verdicts = overruled(verdictsOf(self), failed(CIRCLE))
    writeStatus(bench, item, hands, { self, status: withoutConditions(self.status), verdicts })
  }
  return { outcome: 'circle', at: circleEnd(bench, item), cause: { type: 'retry' } }
}

const circleEnd = (bench: Bench, item: Item): number =>
  bench.clock.now() + Math.min(300_000, 1000 * 2 ** Math.min(item.cycles, 20))

interface Failure {
  readonly item: Item
  readonly hands: Hands
  readonly error: unknown
}

/** Shown on the object and tried again; nothing that could not be planned or written is forgotten. */
function fail(bench: Bench, { item, hands, error }: Failure): Next {
  const next: Next = { outcome: 'failed', failed: true, error, ...pauseOf(bench, error) }
  const self = bench.tracker.cache.get(item.entity)
  if (self === undefined || isPassing(error)) return next
  const message = error instanceof Error ? error.message : String(error)
  try {
    const verdicts = overruled(verdictsOf(self), failed(message))
    writeStatus(bench, item, hands, { self, status: withoutConditions(self.status), verdicts })
  } catch (second) {
    if (second instanceof Outdated) return { ...next, outdated: second }
  }
  return next
}

/** The server is not well: nothing is wrong with the object. */
const isPassing = (error: unknown): boolean =>
  isStatus(error, 'ServiceUnavailable') || isStatus(error, 'TooManyRequests') || isStatus(error, 'Timeout')

function pauseOf(bench: Bench, error: unknown): Partial<Next> {
  const seconds = error instanceof StatusError ? error.details?.retryAfterSeconds : undefined
  return seconds === undefined
    ? {}
    : { at: bench.clock.now() + seconds * 1000, failed: false, cause: { type: 'retry' } }
}
