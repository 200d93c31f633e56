import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import type { Clock } from '#lib/clock.ts'
import type { ActuatorContext } from './actuator.ts'
import type { Facts } from './facts.ts'
import type { Cause, Tracker } from './tracker.ts'
import type { Writer } from './writer.ts'

/** What the engine lends to a run. */
export interface Bench {
  readonly tracker: Tracker
  readonly clock: Clock
  /** Into the turn that is open. */
  readonly writer: () => Writer
  readonly context: ActuatorContext
  readonly graceMs: number
  /** In [0, 1) */
  readonly random: () => number
  readonly facts: () => Facts
  readonly kindOf: (id: string) => Kind
  readonly settled: (wanted: Resource, got: Resource) => void
  readonly enqueue: (entity: string, cause: Cause) => void
  /** The current burst: changes when the engine has been idle. */
  readonly burst: () => number
  /** Nothing but this run is under way or waiting. */
  readonly isAlone: () => boolean
}
