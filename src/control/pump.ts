import { setImmediate } from 'node:timers/promises'

interface Options {
  /** Does a piece of work; false when there is nothing to do. */
  readonly work: () => Promise<boolean>
  readonly mayWork: () => boolean
  /** Whether something has come in since. */
  readonly hasWork: () => boolean
  readonly rested: () => void
}

/** Works while there is something to do, never twice at a time, and lets requests in after every piece. */
export class Pump {
  readonly #options: Options
  #working = false

  constructor(options: Options) {
    this.#options = options
  }

  get working(): boolean {
    return this.#working
  }

  wake(): void {
    if (this.#working || !this.#options.mayWork()) return
    this.#working = true
    void this.#drain()
  }

  async #drain(): Promise<void> {
    const { work, mayWork, hasWork, rested } = this.#options
    do await setImmediate()
    while (mayWork() && (await work()))
    this.#working = false
    rested()
    if (hasWork()) this.wake()
  }
}
