/**
 * Items ordered by their key, in chunks of bounded size: an insert moves part of one chunk, a lookup is two binary
 * searches, and a walk over a range touches nothing outside it.
 */
export interface Keyed {
  readonly key: string
}

/** Large enough that the list of chunks stays short at 100 000 keys, small enough that a splice is cheap. */
const CHUNK = 512
/** Chunks made at once are left room for inserts. */
const FILLED = 384

export class OrderedKeys<T extends Keyed> {
  /** Never empty chunks, in key order; the list itself is empty when there are no items. */
  readonly #chunks: T[][] = []
  #size = 0

  /** `sorted` is the first content: in key order, every key once. */
  constructor(sorted: readonly T[] = []) {
    this.#size = sorted.length
    for (let i = 0; i < sorted.length; i += FILLED) this.#chunks.push(sorted.slice(i, i + FILLED))
  }

  get size(): number {
    return this.#size
  }

  get(key: string): T | undefined {
    const chunk = this.#chunks[this.#chunkFor(key)]
    if (!chunk) return undefined
    const item = chunk[lowerBound(chunk, key)]
    return item?.key === key ? item : undefined
  }

  /** Inserts the item or puts it in the place of the one with the same key, which is returned. */
  set(item: T): T | undefined {
    const at = this.#chunkFor(item.key)
    const chunk = this.#chunks[at]
    if (!chunk) {
      this.#chunks.push([item])
      this.#size++
      return undefined
    }
    const index = lowerBound(chunk, item.key)
    const there = chunk[index]
    if (there?.key === item.key) {
      chunk[index] = item
      return there
    }
    chunk.splice(index, 0, item)
    this.#size++
    if (chunk.length > CHUNK) this.#split(at, index)
    return undefined
  }

  delete(key: string): T | undefined {
    const at = this.#chunkFor(key)
    const chunk = this.#chunks[at]
    if (!chunk) return undefined
    const index = lowerBound(chunk, key)
    const item = chunk[index]
    if (item?.key !== key) return undefined
    chunk.splice(index, 1)
    this.#size--
    if (chunk.length < CHUNK / 4) this.#join(at)
    return item
  }

  /** Items with `from <= key` (or `from < key` when `exclusive`) in order; the caller stops when it has seen enough. */
  *walk(from: string, exclusive = false): Generator<T, void, undefined> {
    let at = this.#chunkFor(from)
    const first = this.#chunks[at]
    let index = first ? lowerBound(first, from) : 0
    if (exclusive && first?.[index]?.key === from) index++
    for (; at < this.#chunks.length; at++, index = 0) {
      const chunk = this.#chunks[at]!
      for (; index < chunk.length; index++) yield chunk[index]!
    }
  }

  /** How many items have a key below `key`: with {@link afterPrefix} the size of any range. */
  rank(key: string | undefined): number {
    if (key === undefined) return this.#size
    const at = this.#chunkFor(key)
    let rank = 0
    for (let i = 0; i < at; i++) rank += this.#chunks[i]!.length
    const chunk = this.#chunks[at]
    return chunk ? rank + lowerBound(chunk, key) : rank
  }

  /** The chunk whose range holds `key`: the last one that starts at or before it. */
  #chunkFor(key: string): number {
    let low = 0
    let high = this.#chunks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#chunks[middle]![0]!.key <= key) low = middle + 1
      else high = middle
    }
    return low === 0 ? 0 : low - 1
  }

  /** Keys that arrive in order leave full chunks behind instead of half empty ones. */
  #split(at: number, inserted: number): void {
    const chunk = this.#chunks[at]!
    const middle = inserted === chunk.length - 1 ? chunk.length - 1 : chunk.length >>> 1
    this.#chunks.splice(at + 1, 0, chunk.splice(middle))
  }

  #join(at: number): void {
    const chunk = this.#chunks[at]!
    if (chunk.length === 0) {
      this.#chunks.splice(at, 1)
      return
    }
    const next = this.#chunks[at + 1]
    if (!next || chunk.length + next.length > CHUNK) return
    chunk.push(...next)
    this.#chunks.splice(at + 1, 1)
  }
}

/** The least key after every key that starts with `prefix`; undefined when there is none. */
export function afterPrefix(prefix: string): string | undefined {
  for (let i = prefix.length - 1; i >= 0; i--) {
    const unit = prefix.charCodeAt(i)
    if (unit < 0xffff) return prefix.slice(0, i) + String.fromCharCode(unit + 1)
  }
  return undefined
}

function lowerBound(chunk: readonly Keyed[], key: string): number {
  let low = 0
  let high = chunk.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (chunk[middle]!.key < key) low = middle + 1
    else high = middle
  }
  return low
}
