/** A small generator of numbers (mulberry32): the same seed gives the same cases on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  /** In [0, n). */
  int(n: number): number {
    return Math.floor(this.next() * n)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('nothing to pick from')
    return list[this.int(list.length)] as T
  }

  /** Text of `length` characters out of `alphabet`. */
  text(length: number, alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'): string {
    const characters = Array.from(alphabet)
    return Array.from({ length }, () => this.pick(characters)).join('')
  }

  /** The list with a few of its characters replaced, removed, doubled or inserted. */
  garble(text: string, strange: readonly string[]): string {
    const characters = Array.from(text)
    for (let edits = 1 + this.int(3); edits > 0; edits--) {
      const at = this.int(characters.length + 1)
      characters.splice(at, this.int(2), ...(this.chance(0.8) ? [this.pick(strange)] : []))
    }
    return characters.join('')
  }
}

/** The generator of one case: every case can be made again without the ones before it. */
export const randomOf = (seed: number, index: number): Random =>
  new Random(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35))
