import type { Clock } from '#lib/clock.ts'

const FIRST_MS = 800
const LONGEST_MS = 30_000
/** After so long without trouble the next one counts as the first. */
const FORGIVEN_MS = 120_000

/** Pauses that grow, and differ between clients that lost the same server at the same moment. */
export class Backoff {
  readonly #clock: Clock
  readonly #signal: AbortSignal
  #next = FIRST_MS
  #last = 0

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
  }

  /** Resolves when it is time to try again, or at once when all is over. */
  pause(): Promise<void> {
    const now = this.#clock.now()
    if (now - this.#last > FORGIVEN_MS) this.#next = FIRST_MS
    const wait = this.#next * (1 + Math.random())
    this.#next = Math.min(this.#next * 2, LONGEST_MS)
    this.#last = now + wait
    return this.#sleep(now + wait)
  }

  #sleep(until: number): Promise<void> {
    const signal = this.#signal
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        cancel()
        signal.removeEventListener('abort', done)
        resolve()
      }
      const cancel = this.#clock.setTimer(until, done)
      signal.addEventListener('abort', done)
    })
  }
}
