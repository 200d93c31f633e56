import type { Resource } from '#domain/object.ts'
import type { Cache } from './cache.ts'
import type { Controller } from './controller.ts'
import type { Desires } from './desires.ts'
import type { Lull } from './lull.ts'
import type { Owned } from './ownership.ts'
import type { Population } from './population.ts'
import type { Settled } from './settled.ts'

/** What the engine knows when it decides; nothing here waits. */
export interface Facts {
  readonly cache: Cache
  readonly desires: Desires
  readonly owned: Owned
  /** Every planner has run since the start: who desires nothing now, really desires nothing. */
  readonly warm: boolean
  /** Whether some controller makes objects of this kind ready. */
  readonly isControlled: (kind: string) => boolean
  /** Whether objects of this kind have effects outside, which have to end before the object does. */
  readonly isGuarded: (kind: string) => boolean
  /** Whether a child may change hands although its present owner still desires it. */
  readonly mayTakeOver: (child: string) => boolean
  /** Whether the server stored exactly this when it was asked for that. */
  readonly isSettled: (wanted: Resource, current: Resource) => boolean
}

interface Known {
  readonly cache: Cache
  readonly desires: Desires
  readonly owned: Owned
  readonly population: Population
  readonly lull: Lull
  readonly settled: Settled
  readonly controllers: ReadonlyMap<string, Controller>
}

export function factsOf({ cache, desires, owned, population, lull, settled, controllers }: Known): Facts {
  return {
    cache,
    desires,
    owned,
    get warm() {
      return population.warm
    },
    isControlled: (kind) => controllers.has(kind),
    isGuarded: (kind) => controllers.get(kind)?.actuator !== undefined,
    mayTakeOver: (child) => lull.mayTakeOver(child),
    isSettled: (wanted, current) => settled.holds(wanted, current),
  }
}
