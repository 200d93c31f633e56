import { hash } from 'node:crypto'
import { blocked, findCondition, notReady, processing, type Verdict } from '#domain/condition.ts'
import type { Resource } from '#domain/object.ts'
import type { Log } from '#lib/log.ts'

/**
 * Makes something true outside the store: a registration at a backend, a message sent. A planner says what should be
 * true (`plan.effect`, plain data); the actuator brings it about. Both calls are idempotent: after a crash they are repeated.
 */
export interface Actuator<Spec = any, Status = any, Effect = any> {
  /** `self.status` is the stored one; the planned status is written after success, together with the result's. */
  apply(self: Resource<Spec, Status>, effect: Effect, context: ActuatorContext): Promise<ActuatorResult>
  /** Undoes what was applied, from what the object alone says: what it referred to may be gone already. */
  remove(self: Resource<Spec, Status>, context: ActuatorContext): Promise<ActuatorResult>
  /** The status patch to be stored before `apply` is called: what `remove` needs should nobody hear how that ended. */
  intend?(self: Resource<Spec, Status>, effect: Effect): object | undefined
  /** Something was intended, and nobody has heard how it ended: only another `apply` or `remove` will tell. */
  isUnfinished?(self: Resource<Spec, Status>): boolean
  /** The status patch success would bring, for simulations and where it was lost. Nothing when left out. */
  assume?(self: Resource<Spec, Status>, effect: Effect): object
}

export interface ActuatorContext {
  /** Aborted when the engine stops: a call should end soon then. */
  readonly signal: AbortSignal
  readonly log: Log
  resolveSecret(reference: string): Promise<string | undefined>
  /** The text of a stored file; undefined when there is none. */
  readFile(id: string): Promise<string | undefined>
}

export type ActuatorResult = { readonly type: 'ok'; readonly status?: object | undefined } | Failure

export type Failure = {
  readonly message: string
  /** Nothing can have become true outside by this call: what was intended with it is forgotten. */
  readonly untouched?: boolean
} & (
  | { readonly type: 'retry' }
  /** Only a change by a person helps; tried again rarely. */
  | { readonly type: 'blocked' }
  | { readonly type: 'retryAfter'; readonly seconds: number }
)

export const applied = (status?: object): ActuatorResult => ({ type: 'ok', status })
export const refused = (message: string): Failure => ({ type: 'blocked', message })
export const retry = (message: string): Failure => ({ type: 'retry', message })
export const retryAfter = (seconds: number, message: string): Failure => ({
  type: 'retryAfter',
  seconds,
  message,
})

/** A blocked effect is tried again after this long, in case the other side has changed. */
export const BLOCKED_RETRY_MS = 30 * 60_000

const APPLIED = 'Applied'

/** Identifies an effect, so that it is applied once and not after every restart. Effects are plain data with sorted lists. */
export const fingerprint = (effect: unknown): string =>
  hash('sha256', JSON.stringify(sorted(effect) ?? null), 'hex').slice(0, 16)

/** Remembered in the object itself: the condition Applied names the effect that is true outside. */
export const isApplied = (self: Resource, print: string): boolean => appliedPrint(self) === print

export function appliedPrint(self: Resource): string | undefined {
  const condition = findCondition(self.status?.conditions, APPLIED)
  return condition?.status === 'True' ? condition.message.split(' ').at(-1) : undefined
}

export const appliedVerdict = (print: string): Verdict => ({
  type: APPLIED,
  status: 'True',
  reason: APPLIED,
  message: `Applied outside, effect ${print}`,
})

export function failedVerdicts(result: Failure): readonly Verdict[] {
  const { message } = result
  const outside: Verdict = {
    type: APPLIED,
    status: 'False',
    reason: result.type === 'blocked' ? 'Blocked' : 'Retrying',
    message,
  }
  return result.type === 'blocked'
    ? [notReady('Blocked', message), blocked(message), outside]
    : [notReady('Processing', message), processing('Retrying', message), outside]
}

/** An actuator never throws past the engine: what it throws is a reason to retry. */
export async function outcomeOf(call: () => Promise<ActuatorResult>): Promise<ActuatorResult> {
  try {
    return await call()
  } catch (error) {
    return retry(error instanceof Error ? error.message : String(error))
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  // Integers beyond doubles have no JSON text of their own.
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, v]) => v !== undefined)
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, v]) => [key, sorted(v)])
}
