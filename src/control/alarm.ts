import type { Clock } from '#lib/clock.ts'

/** Rings once, at the time it was last set to. */
export class Alarm {
  readonly #clock: Clock
  readonly #ring: () => void
  #set: { readonly at: number; readonly cancel: () => void } | undefined

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  /** Undefined: not at all. */
  set(at: number | undefined): void {
    if (at === this.#set?.at) return
    this.#set?.cancel()
    const due = (): void => {
      this.#set = undefined
      this.#ring()
    }
    this.#set = at === undefined ? undefined : { at, cancel: this.#clock.setTimer(at, due) }
  }
}
