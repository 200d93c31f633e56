import type { Cause } from './tracker.ts'

/** Who goes on, and why. */
interface Resumed {
  readonly entity: string
  readonly cause: Cause
}

/** What waits until nothing is queued or running: then a burst is over, and what stays unsaid is said. */
export class Lull {
  #burst = 0
  #isOver = true
  /** Objects whose status waits. */
  #held = new Set<string>()
  /** Children that change hands then, and those that may now. */
  #handOvers = new Set<string>()
  readonly #takeOvers = new Set<string>()

  /** Changes when there has been a lull. */
  get burst(): number {
    return this.#burst
  }

  get isOver(): boolean {
    return this.#isOver
  }

  busy(): void {
    this.#isOver = false
  }

  hold(entity: string, held: boolean): void {
    if (held) this.#held.add(entity)
    else this.#held.delete(entity)
  }

  handOver(children: readonly string[]): void {
    for (const child of children) this.#handOvers.add(child)
  }

  mayTakeOver(child: string): boolean {
    return this.#takeOvers.has(child)
  }

  /** Nothing is queued or running. `writerOf`: who writes a child. */
  end(writerOf: (child: string) => string | undefined): readonly Resumed[] {
    this.#burst++
    this.#isOver = true
    const held = Array.from(this.#held, (entity): Resumed => ({ entity, cause: { type: 'idle' } }))
    const children = this.#handOvers
    this.#held = new Set()
    this.#handOvers = new Set()
    this.#takeOvers.clear()
    const taken = Array.from(children).flatMap((child): Resumed[] => {
      const entity = writerOf(child)
      if (entity === undefined) return []
      this.#takeOvers.add(child)
      return [{ entity, cause: { type: 'desire', entity: child } }]
    })
    return [...held, ...taken]
  }
}
