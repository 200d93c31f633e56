/** A set of small integers that is emptied by beginning a new one: nothing is allocated, however many there are. */
export class Marks {
  #marks = new Uint32Array(256)
  #last: number

  /** `last`: how many marks were given out before, for tests. */
  constructor(last = 0) {
    this.#last = last
  }

  /** A mark that nothing carries. */
  next(): number {
    if (this.#last === 0xffffffff) {
      this.#marks.fill(0)
      this.#last = 0
    }
    return ++this.#last
  }

  set(at: number, mark: number): void {
    if (at >= this.#marks.length) this.#grow(at)
    this.#marks[at] = mark
  }

  /** Whether it carried the mark `from`; it carries `to` then. */
  replace(at: number, from: number, to: number): boolean {
    if (this.#marks[at] !== from) return false
    this.#marks[at] = to
    return true
  }

  #grow(at: number): void {
    const larger = new Uint32Array(Math.max(at + 1, this.#marks.length * 2))
    larger.set(this.#marks)
    this.#marks = larger
  }
}
