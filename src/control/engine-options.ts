import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import type { Installation } from '#domain/plan/world.ts'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { ResourceSource } from '#source/source.ts'
import type { Controller } from './controller.ts'
import { SLICE_MS } from './in-slices.ts'
import type { ControlMetrics } from './metrics.ts'

/** How long a turn lasts. After each slice requests are served. */
export interface TurnLimits {
  readonly slices: number
  readonly sliceMs: number
  /** Objects written. */
  readonly writes: number
}

/** More would keep the disk busy for longer than anyone should wait. */
export const TURN: TurnLimits = { slices: 12, sliceMs: SLICE_MS, writes: 64 }

export interface EngineOptions {
  readonly source: ResourceSource
  readonly controllers: readonly Controller[]
  /** Everything planners read or write; at least the controllers' own kinds. */
  readonly kinds: readonly Kind[]
  readonly installation: Installation
  readonly clock: Clock
  readonly log: Log
  readonly metrics?: ControlMetrics | undefined
  /** How long a ready object may have unready children before its status says so. */
  readonly graceMs?: number | undefined
  /** Calls to the outside under way at the same time. */
  readonly concurrency?: number | undefined
  /** In [0, 1) */
  readonly random?: (() => number) | undefined
  /** For tests. */
  readonly turn?: TurnLimits | undefined
  /** Told of every change of an object that has a controller. */
  readonly observe?: ((before: Resource | undefined, after: Resource | undefined) => void) | undefined
  /** While requests are being answered: resolves when they are, or after a moment. Undefined: nobody waits. */
  readonly giveWay?: (() => Promise<void> | undefined) | undefined
}
