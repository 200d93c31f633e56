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
import type { Controller } from './controller.ts'

export interface Acted {
  /** With the finalizer, if it had to be added. */
  readonly self: Resource
  /** Overrule the plan's. */
  readonly verdicts: readonly Verdict[]
  readonly status: object
  readonly retry: Retry | undefined
}

/** `undefined` milliseconds: the usual back-off. */
export interface Retry {
  readonly afterMs: number | undefined
}

interface Outside {
  readonly hands: Hands
  readonly context: ActuatorContext
  /** Runs a call that may take long without holding up others. */
  readonly aside: <T>(call: () => Promise<T>) => Promise<T>
}

/** Makes true outside what the plan says should be, unless the object remembers that it is already. */
export async function actuate(controller: Controller, self: Resource, plan: Plan, outside: Outside): Promise<Acted> {
  const { actuator, kind } = controller
  const before = appliedPrint(self)
  const remembered = before === undefined ? [] : [appliedVerdict(before)]
  const unchanged: Acted = { self, verdicts: remembered, status: {}, retry: undefined }
  if (actuator === undefined) return { ...unchanged, verdicts: [] }
  if (plan.outcome === 'denied') {
    if (before === undefined) return unchanged
    return judged(self, await call(outside, () => actuator.remove(self, outside.context)), [])
  }
  const print = fingerprint(plan.effect)
  if (plan.effect === undefined || print === before) return unchanged
  const guarded = hasFinalizer(self)
    ? self
    : await outside.hands.writer.update(kind, withFinalizer(self), outside.hands.run)
  const result = await call(outside, () => actuator.apply(guarded, plan.effect, outside.context))
  return judged(guarded, result, [appliedVerdict(print)])
}

/** True when the finalizer could be taken off: nothing of the object is left outside. */
export async function undo(controller: Controller, self: Resource, outside: Outside): Promise<Acted | undefined> {
  const { actuator, kind } = controller
  if (actuator === undefined || !hasFinalizer(self)) return undefined
  const result = await call(outside, () => actuator.remove(self, outside.context))
  if (result.type !== 'ok') return judged(self, result, [])
  const finalizers = self.metadata.finalizers?.filter((finalizer) => finalizer !== FINALIZER)
  await outside.hands.writer.update(kind, { ...self, metadata: { ...self.metadata, finalizers } }, outside.hands.run)
  return undefined
}

const call = (outside: Outside, perform: () => Promise<ActuatorResult>): Promise<ActuatorResult> =>
  outside.aside(() => outcomeOf(perform))

function judged(self: Resource, result: ActuatorResult, success: readonly Verdict[]): Acted {
  if (result.type === 'ok') return { self, verdicts: success, status: result.status ?? {}, retry: undefined }
  return { self, verdicts: failedVerdicts(result), status: {}, retry: { afterMs: retryDelay(result) } }
}

function retryDelay(result: ActuatorResult): number | undefined {
  if (result.type === 'blocked') return BLOCKED_RETRY_MS
  return result.type === 'retryAfter' ? result.seconds * 1000 : undefined
}

const hasFinalizer = (self: Resource): boolean => self.metadata.finalizers?.includes(FINALIZER) === true

const withFinalizer = (self: Resource): Resource => ({
  ...self,
  metadata: { ...self.metadata, finalizers: [...(self.metadata.finalizers ?? []), FINALIZER] },
})
