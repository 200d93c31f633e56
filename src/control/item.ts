import type { Verdict } from '#domain/condition.ts'
import type { Controller } from './controller.ts'
import type { Cause, Reader } from './tracker.ts'
import type { Written } from './writer.ts'

/** Whom an item tells that it has to run. */
export interface Schedule {
  enqueue(entity: string, cause: Cause): void
  isRunning(entity: string): boolean
  /** Whether it is the one that runs at this moment: whatever it hears it did itself. */
  isPerforming(entity: string): boolean
}

/** One planned object: what reads on its behalf, and what is remembered between its runs. */
export class Item implements Reader {
  readonly entity: string
  readonly controller: Controller
  readonly #schedule: Schedule
  /** Ids in the graph: what the planner read, and what the engine watches for it (its children, its own status). */
  reads = -1
  watches = -1
  /** The children behind `watches`, with what is needed of each. */
  watched: readonly string[] | undefined
  /** Changes of watched objects during the run; those that were its own writes do not count. */
  deferred: Cause[] = []
  /** Since when a child has been unready while the stored status still says Ready=True. */
  unreadySince: number | undefined
  /** A status that is not written yet because it may be outdated in a moment: since when, in which burst. */
  held: { readonly burst: number; readonly since: number } | undefined
  burst: Burst | undefined
  cycles = 0
  attempt: Attempt | undefined
  /** What should be true outside, and its fingerprint. */
  effect: { readonly wanted: unknown; readonly print: string } | undefined

  constructor(entity: string, controller: Controller, schedule: Schedule) {
    this.entity = entity
    this.controller = controller
    this.#schedule = schedule
  }

  /** The reader behind `watches`. */
  readonly watcher: Reader = {
    canWait: () => this.canWait(),
    stale: (cause) => {
      const own: Cause = { ...cause, type: cause.entity === this.entity ? 'drift' : 'child' }
      if (this.#schedule.isRunning(this.entity)) this.deferred.push(own)
      else this.#schedule.enqueue(this.entity, own)
    },
  }

  /** What it wrote itself is no news to it. */
  forgetOwn(run: readonly Written[]): void {
    const isOwn = ({ entity, version }: Cause): boolean =>
      run.some((written) => written.entity === entity && written.version === version)
    this.deferred = this.deferred.filter((cause) => !isOwn(cause))
  }

  stale(cause: Cause): void {
    const isEcho = this.#schedule.isPerforming(this.entity)
    this.#schedule.enqueue(this.entity, isEcho ? { ...cause, echo: true } : cause)
  }

  /** A run knows its own writes by hearing of them at once. */
  canWait(): boolean {
    return !this.#schedule.isRunning(this.entity)
  }
}

/** An effect outside that failed: until when it is left alone, and what is said about it meanwhile. */
export interface Attempt {
  /** Which effect; another one is tried at once. */
  readonly print: string
  readonly failures: number
  readonly until: number
  readonly verdicts: readonly Verdict[]
}

/** What an object has written since the engine was last idle. */
export interface Burst {
  readonly id: number
  writes: number
  seen: Map<string, number> | undefined
  stopped: boolean
}

/** Below this nobody looks: a new object writes a few times before it is settled. */
const UNWATCHED_WRITES = 10
/** The same state so many times again is a circle; so many different ones do not settle either. */
const REPEATS = 5
const MOST_WRITES = 1000

/** Notes a run that wrote. True: the object goes in circles and must be stopped. */
export function goesInCircles(item: Item, burst: number, state: () => string): boolean {
  if (item.burst?.id !== burst) item.burst = { id: burst, writes: 0, seen: undefined, stopped: false }
  if (++item.burst.writes <= UNWATCHED_WRITES) return false
  const seen = (item.burst.seen ??= new Map<string, number>())
  const hash = state()
  seen.set(hash, (seen.get(hash) ?? 0) + 1)
  item.burst.stopped = seen.get(hash)! >= REPEATS || item.burst.writes >= MOST_WRITES
  return item.burst.stopped
}
