import type { Clock } from '#lib/clock.ts'

interface Deadline {
  readonly key: string
  readonly at: number
}

/** At most one deadline per key, one timer for all of them. */
export class Deadlines {
  readonly #clock: Clock
  readonly #due: (key: string) => void
  readonly #byKey = new Map<string, Deadline>()
  /** A binary heap by time; deadlines replaced meanwhile stay in it until they surface. */
  readonly #heap: Deadline[] = []
  #timer: { readonly at: number; readonly cancel: () => void } | undefined

  constructor(clock: Clock, due: (key: string) => void) {
    this.#clock = clock
    this.#due = due
  }

  get(key: string): number | undefined {
    return this.#byKey.get(key)?.at
  }

  set(key: string, at: number): void {
    if (this.#byKey.get(key)?.at === at) return
    const deadline = { key, at }
    this.#byKey.set(key, deadline)
    this.#push(deadline)
    this.#arm()
  }

  clear(key: string): void {
    this.#byKey.delete(key)
    if (this.#byKey.size === 0) this.stop()
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#byKey.clear()
    this.#heap.length = 0
  }

  #arm(): void {
    while (this.#heap[0] !== undefined && this.#byKey.get(this.#heap[0].key) !== this.#heap[0]) this.#pop()
    const at = this.#heap[0]?.at
    if (this.#timer?.at === at) return
    this.#timer?.cancel()
    this.#timer = at === undefined ? undefined : { at, cancel: this.#clock.setTimer(at, () => this.#fire()) }
  }

  #fire(): void {
    this.#timer = undefined
    const now = this.#clock.now()
    const due: string[] = []
    for (let first = this.#heap[0]; first !== undefined && first.at <= now; first = this.#heap[0]) {
      this.#pop()
      if (this.#byKey.get(first.key) !== first) continue
      this.#byKey.delete(first.key)
      due.push(first.key)
    }
    this.#arm()
    due.forEach((key) => this.#due(key))
  }

  #push(deadline: Deadline): void {
    const heap = this.#heap
    let at = heap.push(deadline) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (heap[parent]!.at <= deadline.at) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = deadline
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let at = 0
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child++
      if (heap[child]!.at >= last.at) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
  }
}
