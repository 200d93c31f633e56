import type { Clock } from '#lib/clock.ts'

/** A write that was given a reference is stored or has failed long before this. */
const ON_ITS_WAY_MS = 60_000
const MOST_OPENED = 10_000

/**
 * What the store does not say about the use of secrets: which ones objects were lent lately, whose writes may still be on
 * their way, and which ones are being removed. All by the ids of their references.
 */
export class SecretUse {
  readonly #clock: Clock
  #young = new Set<string>()
  #old = new Set<string>()
  #youngSince: number
  #held = false
  readonly #condemned = new Set<string>()
  readonly #opened = new Set<string>()
  /** Called whenever an object lets go of a secret. */
  dropped: () => void = () => undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#youngSince = clock.now()
  }

  /** An object is about to refer to the secret of another one. */
  lend(id: string): void {
    this.#age()
    this.#young.add(id)
  }

  /** While it is held, nothing that was lent is forgotten. */
  hold(held: boolean): void {
    this.#age()
    this.#held = held
  }

  isLent(id: string): boolean {
    return this.#young.has(id) || this.#old.has(id)
  }

  /** Nobody may be lent these from now on, although they can be read until they are gone. */
  condemn(ids: readonly string[]): void {
    for (const id of ids) this.#condemned.add(id)
  }

  /** They are gone, or they stay. */
  acquit(ids: readonly string[]): void {
    for (const id of ids) this.#condemned.delete(id)
  }

  isCondemned(id: string): boolean {
    return this.#condemned.has(id)
  }

  /** The reference stood for a value when it was last looked at. */
  opened(reference: string): void {
    if (this.#opened.size >= MOST_OPENED) this.#opened.clear()
    this.#opened.add(reference)
  }

  wasOpened(reference: string): boolean {
    return this.#opened.has(reference)
  }

  #age(): void {
    const now = this.#clock.now()
    if (this.#held || now - this.#youngSince < ON_ITS_WAY_MS) return
    this.#old = this.#young
    this.#young = new Set()
    this.#youngSince = now
  }
}
