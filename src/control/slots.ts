/** How many calls to the outside may be under way: they are slow, so they do not take the place of runs. */
const CALLS_ASIDE = 64

/** Room for runs under way. A run that waits for the outside world lends its place to others. */
export class Slots {
  readonly #freed: () => void
  readonly #waiting: (() => void)[] = []
  #free: number
  #aside = 0

  constructor(limit: number, freed: () => void) {
    this.#free = limit
    this.#freed = freed
  }

  get free(): number {
    return this.#free
  }

  take(): () => void {
    this.#free--
    return () => this.#release()
  }

  async aside<T>(call: () => Promise<T>): Promise<T> {
    this.#release()
    if (this.#aside >= CALLS_ASIDE) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#aside++
    try {
      return await call()
    } finally {
      this.#aside--
      this.#waiting.shift()?.()
      this.#free--
    }
  }

  #release(): void {
    this.#free++
    this.#freed()
  }
}
