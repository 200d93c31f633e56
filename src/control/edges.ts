const FIELDS = 5
const SLOT = 0
const READER = 1
const PREVIOUS = 2
const NEXT = 3
const NEXT_OF_READER = 4
const NONE = -1

/**
 * Who reads what, as integers: every edge is in the list of its slot (so that a change finds its readers) and in
 * the list of its reader (so that a new run replaces the old reads). 20 bytes per edge, constant time to add and drop.
 */
export class Edges {
  #edges = new Int32Array(64 * FIELDS)
  #headOfSlot = new Int32Array(64).fill(NONE)
  #headOfReader = new Int32Array(64).fill(NONE)
  #free = NONE
  #used = 0
  #live = 0

  get count(): number {
    return this.#live
  }

  get bytes(): number {
    return this.#edges.byteLength + this.#headOfSlot.byteLength + this.#headOfReader.byteLength
  }

  add(reader: number, slot: number): void {
    this.#headOfSlot = grown(this.#headOfSlot, slot)
    this.#headOfReader = grown(this.#headOfReader, reader)
    const at = this.#allocate()
    const head = this.#headOfSlot[slot]!
    this.#edges[at + SLOT] = slot
    this.#edges[at + READER] = reader
    this.#edges[at + PREVIOUS] = NONE
    this.#edges[at + NEXT] = head
    this.#edges[at + NEXT_OF_READER] = this.#headOfReader[reader]!
    if (head !== NONE) this.#edges[head + PREVIOUS] = at
    this.#headOfSlot[slot] = at
    this.#headOfReader[reader] = at
    this.#live++
  }

  /** Drops the reader's edges to slots that `keeps` does not want. */
  dropUnless(reader: number, keeps: (slot: number) => boolean, dropped: (slot: number) => void): void {
    let at = this.#headOfReader[reader] ?? NONE
    let last = NONE
    while (at !== NONE) {
      const next = this.#edges[at + NEXT_OF_READER]!
      const slot = this.#edges[at + SLOT]!
      if (keeps(slot)) last = at
      else {
        if (last === NONE) this.#headOfReader[reader] = next
        else this.#edges[last + NEXT_OF_READER] = next
        this.#unlink(at)
        dropped(slot)
      }
      at = next
    }
  }

  *slotsOf(reader: number): Iterable<number> {
    for (let at = this.#headOfReader[reader] ?? NONE; at !== NONE; at = this.#edges[at + NEXT_OF_READER]!) {
      yield this.#edges[at + SLOT]!
    }
  }

  /** The first reader of a slot for which this holds, and only as long as `holds` changes none of them. */
  findReader(slot: number, holds: (reader: number) => boolean): number | undefined {
    for (let at = this.#headOfSlot[slot] ?? NONE; at !== NONE; at = this.#edges[at + NEXT]!) {
      const reader = this.#edges[at + READER]!
      if (holds(reader)) return reader
    }
    return undefined
  }

  isRead(slot: number): boolean {
    return (this.#headOfSlot[slot] ?? NONE) !== NONE
  }

  #allocate(): number {
    if (this.#free !== NONE) {
      const at = this.#free
      this.#free = this.#edges[at + NEXT]!
      return at
    }
    const at = this.#used
    this.#used += FIELDS
    if (this.#used > this.#edges.length) {
      const larger = new Int32Array(Math.ceil(this.#edges.length / FIELDS / 2) * 3 * FIELDS)
      larger.set(this.#edges)
      this.#edges = larger
    }
    return at
  }

  #unlink(at: number): void {
    const previous = this.#edges[at + PREVIOUS]!
    const next = this.#edges[at + NEXT]!
    if (previous === NONE) this.#headOfSlot[this.#edges[at + SLOT]!] = next
    else this.#edges[previous + NEXT] = next
    if (next !== NONE) this.#edges[next + PREVIOUS] = previous
    this.#edges[at + NEXT] = this.#free
    this.#free = at
    this.#live--
  }
}

function grown(array: Int32Array<ArrayBuffer>, index: number): Int32Array<ArrayBuffer> {
  if (index < array.length) return array
  const larger = new Int32Array(Math.max(index + 1, Math.ceil(array.length * 1.5))).fill(NONE)
  larger.set(array)
  return larger
}
