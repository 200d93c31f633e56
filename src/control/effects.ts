import type { Verdict } from '#domain/condition.ts'
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
  outcomeOf,
} from './actuator.ts'
import type { Hands } from './apply.ts'
import { hasFinalizer, withFinalizer } from './decide.ts'
import type { Item } from './item.ts'
import { backOffMs } from './queue.ts'

export interface Acted {
  /** With the finalizer, if it had to be added. */
  readonly self: Resource
  /** Overrule the plan's. */
  readonly verdicts: readonly Verdict[]
  readonly status: object
  /** It failed, and is tried again then. */
  readonly retryAt: number | undefined
}

export interface Outside {
  readonly item: Item
  readonly hands: Hands
  readonly context: ActuatorContext
  readonly now: () => number
  /** In [0, 1) */
  readonly random: () => number
  /** Runs a call that may take long without holding up others. */
  readonly aside: <T>(call: () => Promise<T>) => Promise<T>
}

/** Makes true outside what the plan says should be, unless the object remembers that it is already. */
export async function actuate(self: Resource, plan: Plan, outside: Outside): Promise<Acted> {
  const { actuator, kind } = outside.item.controller
  const before = appliedPrint(self)
  const done: Acted = {
    self,
    verdicts: before === undefined ? [] : [appliedVerdict(before)],
    status: {},
    retryAt: undefined,
  }
  if (actuator === undefined) return { ...done, verdicts: [] }
  if (plan.outcome === 'denied') {
    if (before === undefined) return done
    return attempt(self, REMOVAL, outside, () => actuator.remove(self, outside.context))
  }
  const print = fingerprint(plan.effect)
  if (plan.effect === undefined || print === before) return done
  if (isPausing(print, outside)) return attempt(self, print, outside, () => Promise.reject(new Error('it pauses')))
  const guarded = hasFinalizer(self)
    ? self
    : await outside.hands.writer.update(kind, withFinalizer(self), outside.hands.run)
  return attempt(guarded, print, outside, () => actuator.apply(guarded, plan.effect, outside.context))
}

/** Undefined when nothing of the object is left outside, and the finalizer is off. */
export async function undo(self: Resource, outside: Outside): Promise<Acted | undefined> {
  const { actuator, kind } = outside.item.controller
  if (actuator === undefined || !hasFinalizer(self)) return undefined
  const acted = await attempt(self, REMOVAL, outside, () => actuator.remove(self, outside.context))
  if (acted.retryAt !== undefined) return acted
  const finalizers = self.metadata.finalizers?.filter((finalizer) => finalizer !== FINALIZER)
  await outside.hands.writer.update(kind, { ...self, metadata: { ...self.metadata, finalizers } }, outside.hands.run)
  return undefined
}

const REMOVAL = 'removal'

const isPausing = (print: string, { item, now }: Outside): boolean =>
  item.attempt?.print === print && now() < item.attempt.until

/** Calls unless the same call failed a moment ago: whatever else makes the object run does not shorten the pause. */
async function attempt(
  self: Resource,
  print: string,
  outside: Outside,
  call: () => Promise<ActuatorResult>,
): Promise<Acted> {
  const { item } = outside
  if (!isPausing(print, outside)) {
    const result = await outside.aside(() => outcomeOf(call))
    if (result.type === 'ok') {
      item.attempt = undefined
      return {
        self,
        verdicts: print === REMOVAL ? [] : [appliedVerdict(print)],
        status: result.status ?? {},
        retryAt: undefined,
      }
    }
    const failures = item.attempt?.print === print ? item.attempt.failures + 1 : 0
    const until = outside.now() + (pauseOf(result) ?? backOffMs(failures, outside.random()))
    item.attempt = { print, failures, until, verdicts: failedVerdicts(result) }
  }
  return { self, verdicts: item.attempt!.verdicts, status: {}, retryAt: item.attempt!.until }
}

function pauseOf(result: ActuatorResult): number | undefined {
  if (result.type === 'blocked') return BLOCKED_RETRY_MS
  return result.type === 'retryAfter' ? result.seconds * 1000 : undefined
}
