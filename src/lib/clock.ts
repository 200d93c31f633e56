/** Time as an argument: whatever waits or stamps takes a Clock, so a test decides what time it is. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls `fn` once, never before `now()` has reached `atMs` and never within this call; the result cancels it. */
  setTimer(atMs: number, fn: () => void): () => void
}

/** Node fires longer timeouts at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(atMs, fn) {
    let timeout: NodeJS.Timeout
    const arm = (): void => {
      timeout = setTimeout(due, Math.min(Math.max(atMs - Date.now(), 0), LONGEST_TIMEOUT))
    }
    // Timeouts count on another clock than Date and can be a moment early by it, or weeks early by the limit above.
    const due = (): void => (Date.now() < atMs ? arm() : fn())
    arm()
    return () => clearTimeout(timeout)
  },
}

interface Timer {
  readonly atMs: number
  readonly fn: () => void
}

/** A clock that stands still until it is advanced. */
export class ManualClock implements Clock {
  #now: number
  #timers: readonly Timer[] = []

  constructor(startMs = 0) {
    this.#now = startMs
  }

  now(): number {
    return this.#now
  }

  /** Timers not yet fired or cancelled. */
  get pending(): number {
    return this.#timers.length
  }

  setTimer(atMs: number, fn: () => void): () => void {
    const timer: Timer = { atMs, fn }
    this.#timers = [...this.#timers, timer]
    return () => this.#remove(timer)
  }

  /**
   * Fires every timer due until then, by time and among equals by age, each seeing its own time as `now()`; timers they
   * set are fired in the same call when they fall due within it.
   */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`a clock advances by 0 ms or more, not by ${ms}`)
    const end = this.#now + ms
    for (let timer = this.#earliest(end); timer !== undefined; timer = this.#earliest(end)) {
      this.#remove(timer)
      this.#now = Math.max(this.#now, timer.atMs)
      timer.fn()
    }
    this.#now = end
  }

  #earliest(end: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) if (timer.atMs <= end && timer.atMs < (first?.atMs ?? Infinity)) first = timer
    return first
  }

  #remove(timer: Timer): void {
    this.#timers = this.#timers.filter((other) => other !== timer)
  }
}
