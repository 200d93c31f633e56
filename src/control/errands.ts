import type { Resource } from '#domain/object.ts'
import { type ActuatorResult, outcomeOf } from './actuator.ts'
import type { Item } from './item.ts'
import type { Underway } from './turn.ts'

/** An errand that has ended. */
export interface Returned extends Underway {
  /** The object it was run for. */
  readonly self: Resource
  readonly result: ActuatorResult
}

interface Options {
  /** Errands under way at the same time. */
  readonly limit: number
  readonly find: (item: Item) => Resource | undefined
  /** There is one to take. */
  readonly returned: () => void
}

/** Calls to the outside: slow, so nobody waits for them, and never more than a few at once. */
export class Errands {
  readonly #options: Options
  /** To be run as soon as it is heard that what they rest on is stored. */
  #next: Underway[] = []
  readonly #waiting: Underway[] = []
  #returned: Returned[] = []
  #underWay = 0
  #stopped = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Errands that have ended and were not taken. */
  get ended(): number {
    return this.#returned.length
  }

  add(errands: readonly Underway[]): void {
    this.#next.push(...errands)
  }

  /** Starts what was added, now that everything stored is known. Returns what has nothing to be run for any more. */
  start(): readonly Item[] {
    const gone: Item[] = []
    for (const underway of this.#next) {
      if (this.#options.find(underway.item) === undefined) gone.push(underway.item)
      else this.#waiting.push(underway)
    }
    this.#next = []
    while (this.#underWay < this.#options.limit && this.#waiting.length > 0) void this.#run(this.#waiting.shift()!)
    return gone
  }

  take(): Returned | undefined {
    return this.#returned.shift()
  }

  /** Starts no more. Returns what will not go on; the ones under way return when they end. */
  stop(): readonly Item[] {
    this.#stopped = true
    const left = [...this.#next, ...this.#waiting].map(({ item }) => item)
    this.#next = []
    this.#waiting.length = 0
    return left
  }

  async #run(underway: Underway): Promise<void> {
    const self = this.#options.find(underway.item)
    if (self !== undefined) {
      this.#underWay++
      const result = await outcomeOf(() => underway.errand.perform(self))
      this.#underWay--
      this.#returned.push({ ...underway, self, result })
    }
    const next = this.#stopped ? undefined : this.#waiting.shift()
    if (next !== undefined) void this.#run(next)
    this.#options.returned()
  }
}
