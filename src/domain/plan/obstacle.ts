import type { ReadyReason } from '#domain/condition.ts'
import { keyOf } from '#domain/environment.ts'
import type { Named } from '#domain/object.ts'
import type { View } from './world.ts'

/** Why a plan cannot go on: one sentence that names the object that would help. */
export interface Obstacle {
  readonly obstacle: ReadyReason
  readonly message: string
}

export const obstacle = (reason: ReadyReason, message: string): Obstacle => ({ obstacle: reason, message })

/** Something that has to be there first (decisions §8.7). */
export const unmet = (message: string): Obstacle => obstacle('PreconditionNotMet', message)

export const isObstacle = (value: unknown): value is Obstacle =>
  typeof value === 'object' && value !== null && 'obstacle' in value

export const missing = (kind: string, ref: Named, remedy: string): Obstacle =>
  unmet(`${kind} ${keyOf(ref)} does not exist: ${remedy}`)

export const notReady = (kind: string, ref: Named): Obstacle =>
  unmet(`${kind} ${keyOf(ref)} is not ready: see its conditions`)

/**
 * The last word about an object. `settling`: it was ready, its spec has just changed and was not looked at yet: nothing
 * new is built on it (§2.2), but what stands is not torn down for that moment. `provisioning`: only its own children
 * are not ready yet.
 */
export type Readiness = 'ready' | 'settling' | 'provisioning' | 'unready'

export function readinessOf(view: View<any, any>): Readiness {
  if (view.ready) return 'ready'
  const condition = view.condition('Ready')
  if (condition?.status === 'True') return 'settling'
  return condition?.reason === 'SubResourceNotReady' ? 'provisioning' : 'unready'
}

/** As an argument of derivations: whether something was already built on what is asked about, or is to be built anew. */
export type Stage = 'standing' | 'new'

/** `standing`: whether something was already built on it. */
export const isUsable = (readiness: Readiness, standing: boolean): boolean =>
  readiness === 'ready' || (readiness === 'settling' && standing)
