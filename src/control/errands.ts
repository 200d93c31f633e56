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
  /** It will not go on. */
  readonly dropped: (item: Item) => void
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
    if (!this.#stopped) this.#next.push(...errands)
    else for (const { item } of errands) this.#options.dropped(item)
  }

  /** Starts what was added, now that everything stored is known. What has nothing to be run for any more is dropped. */
  start(): void {
    const { find, dropped, limit } = this.#options
    for (const underway of this.#next) {
      if (find(underway.item) === undefined) dropped(underway.item)
      else this.#waiting.push(underway)
    }
    this.#next = []
    while (this.#underWay < limit && this.#waiting.length > 0) void this.#run(this.#waiting.shift()!)
  }

  take(): Returned | undefined {
    return this.#returned.shift()
  }

  /** Starts no more; the ones under way are dropped when they end: the next engine finds out again. */
  stop(): void {
    this.#stopped = true
    for (const { item } of [...this.#next, ...this.#waiting, ...this.#returned]) this.#options.dropped(item)
    this.#next = []
    this.#waiting.length = 0
    this.#returned = []
  }

  async #run(underway: Underway): Promise<void> {
    const self = this.#options.find(underway.item)
    if (self === undefined) this.#options.dropped(underway.item)
    else {
      this.#underWay++
      const result = await outcomeOf(() => underway.errand.perform(self))
      this.#underWay--
      if (this.#stopped) this.#options.dropped(underway.item)
      else this.#returned.push({ ...underway, self, result })
    }
    const next = this.#waiting.shift()
    if (next !== undefined) void this.#run(next)
    this.#options.returned()
  }
}
