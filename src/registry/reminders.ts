import type { Clock } from '#lib/clock.ts'

/** Long enough for what goes by itself to be gone, and for many changes to be told as one. */
const AFTER_MS = 1000

/** Says of a key that still waits, a moment after it began to, that it is time to tell why; then again a moment later. */
export class Reminders {
  readonly #clock: Clock
  readonly #remind: (key: string) => void
  readonly #timers = new Map<string, () => void>()
  readonly #due = new Set<string>()

  constructor(clock: Clock, remind: (key: string) => void) {
    this.#clock = clock
    this.#remind = remind
  }

  /** Whether it is time for this key. When it is not yet, `remind` is called as soon as it is. */
  isTime(key: string): boolean {
    if (this.#due.delete(key)) return true
    if (!this.#timers.has(key)) {
      const fire = (): void => {
        this.#timers.delete(key)
        this.#due.add(key)
        this.#remind(key)
      }
      this.#timers.set(key, this.#clock.setTimer(this.#clock.now() + AFTER_MS, fire))
    }
    return false
  }

  /** It waits no longer. */
  drop(key: string): void {
    this.#timers.get(key)?.()
    this.#timers.delete(key)
    this.#due.delete(key)
  }

  close(): void {
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
  }
}
