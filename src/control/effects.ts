import type { Verdict } from '#domain/condition.ts'
import { equal } from '#domain/equal.ts'
import { FINALIZER, type Resource } from '#domain/object.ts'
import type { Plan } from '#domain/plan/plan.ts'
import {
  type ActuatorContext,
  type ActuatorResult,
  appliedPrint,
  appliedVerdict,
  BLOCKED_RETRY_MS,
  failedVerdicts,
  fingerprint,
} from './actuator.ts'
import type { Hands } from './apply.ts'
import { hasFinalizer, withFinalizer } from './decide.ts'
import type { Item } from './item.ts'
import { backOffMs } from './queue.ts'

export interface Acted {
  readonly self: Resource
  /** Overrule the plan's. */
  readonly verdicts: readonly Verdict[]
  readonly status: object
  /** It failed, and is tried again then. */
  readonly retryAt: number | undefined
}

/** Something that has to happen outside before the run can end, and not before what it rests on is stored. */
export interface Call {
  /** Which effect; see `Attempt`. */
  readonly print: string
  readonly perform: (self: Resource) => Promise<ActuatorResult>
  /** The status patch that was stored for it, and stays unless it is known how the call ended. */
  readonly intent?: object | undefined
}

export const isCall = (step: Acted | Call | undefined): step is Call => step !== undefined && 'perform' in step

export interface Outside {
  readonly item: Item
  readonly hands: Hands
  readonly context: ActuatorContext
  readonly now: () => number
  /** In [0, 1) */
  readonly random: () => number
}

/** What has to be done to make true outside what the plan says, unless the object remembers that it is already. */
export function effectOf(self: Resource, plan: Plan, outside: Outside): Acted | Call {
  const { actuator } = outside.item.controller
  const before = appliedPrint(self)
  const done: Acted = {
    self,
    verdicts: before === undefined ? [] : [appliedVerdict(before)],
    status: {},
    retryAt: undefined,
  }
  if (actuator === undefined) return { ...done, verdicts: [] }
  const { context } = outside
  const isUnfinished = actuator.isUnfinished?.(self) === true
  if (plan.outcome === 'denied') {
    return before === undefined && !isUnfinished
      ? done
      : unlessPausing(self, outside, { print: REMOVAL, perform: (now) => actuator.remove(now, context) })
  }
  const print = printOf(outside.item, plan.effect)
  if (plan.effect === undefined) return done
  if (print === before && !isUnfinished) return { ...done, status: untold(self, actuator.assume?.(self, plan.effect)) }
  const next = unlessPausing(self, outside, { print, perform: (now) => actuator.apply(now, plan.effect, context) })
  return isCall(next) ? { ...next, intent: prepare(self, plan.effect, outside) } : next
}

/** Stores what has to be before anything happens outside. */
function prepare(self: Resource, effect: unknown, { item, hands }: Outside): object | undefined {
  const { actuator, kind } = item.controller
  const guarded = hasFinalizer(self) ? self : (hands.writer.update(kind, withFinalizer(self), hands.run) ?? self)
  const intent = actuator?.intend?.(self, effect)
  if (intent !== undefined)
    hands.writer.updateStatus(kind, { ...guarded, status: { ...guarded.status, ...intent } }, hands.run)
  return intent
}

/** What the object should say about an effect that is true outside, and does not any more. */
function untold(self: Resource, assumed: object = {}): object {
  const told = self.status ?? {}
  return Object.fromEntries(Object.entries(assumed).filter(([field]) => !Object.hasOwn(told, field)))
}

/** Most runs want what the run before wanted. */
function printOf(item: Item, effect: unknown): string {
  if (item.effect === undefined || !equal(item.effect.wanted, effect))
    item.effect = { wanted: effect, print: fingerprint(effect) }
  return item.effect.print
}

/** Undefined when nothing of the object is left outside. */
export function removalOf(self: Resource, outside: Outside): Acted | Call | undefined {
  const { actuator } = outside.item.controller
  if (actuator === undefined || !hasFinalizer(self)) return undefined
  return unlessPausing(self, outside, { print: REMOVAL, perform: (now) => actuator.remove(now, outside.context) })
}

export function withoutFinalizer(self: Resource): Resource {
  const finalizers = self.metadata.finalizers?.filter((finalizer) => finalizer !== FINALIZER)
  return { ...self, metadata: { ...self.metadata, finalizers } }
}

const REMOVAL = 'removal'

/** The same call failed a moment ago: whatever else makes the object run does not shorten the pause. */
function unlessPausing(self: Resource, { item, now }: Outside, call: Call): Acted | Call {
  const { attempt } = item
  if (attempt?.print !== call.print || now() >= attempt.until) return call
  return { self, verdicts: attempt.verdicts, status: {}, retryAt: attempt.until }
}

/** What a call that has ended says about the object. */
export function actedBy(self: Resource, { print, intent }: Call, result: ActuatorResult, outside: Outside): Acted {
  const { item } = outside
  if (result.type === 'ok') {
    item.attempt = undefined
    const verdicts = print === REMOVAL ? [] : [appliedVerdict(print)]
    return { self, verdicts, status: result.status ?? {}, retryAt: undefined }
  }
  const failures = item.attempt?.print === print ? item.attempt.failures + 1 : 0
  const until = outside.now() + (pauseOf(result) ?? backOffMs(failures, outside.random()))
  item.attempt = { print, failures, until, verdicts: failedVerdicts(result) }
  const status = result.untouched === true ? {} : (intent ?? {})
  return { self, verdicts: item.attempt.verdicts, status, retryAt: until }
}

function pauseOf(result: ActuatorResult): number | undefined {
  if (result.type === 'blocked') return BLOCKED_RETRY_MS
  return result.type === 'retryAfter' ? result.seconds * 1000 : undefined
}
