import { FACETS } from './facets.ts'
import { Edges } from './edges.ts'
import { Marks } from './marks.ts'

/** Room for the facets of one entity. */
const STRIDE = 8

/**
 * The reverse map: for each facet of each entity (an object, a bucket, a derivation) who has read it. Entities are
 * known only while somebody reads them, readers only while they read.
 */
export class Graph<Reader> {
  readonly #edges = new Edges()
  readonly #ids = new Map<string, number>()
  readonly #entities: (string | undefined)[] = []
  readonly #freeIds: number[] = []
  readonly #readers: (Reader | undefined)[] = []
  readonly #freeReaders: number[] = []
  readonly #unread = new Set<number>()
  /** Of slots, and of readers. */
  readonly #marks = new Marks()
  readonly #seen = new Marks()

  get stats(): { readonly edges: number; readonly entities: number; readonly readers: number; readonly bytes: number } {
    const readers = this.#readers.length - this.#freeReaders.length
    return { edges: this.#edges.count, entities: this.#ids.size, readers, bytes: this.#edges.bytes }
  }

  /** Entities that `sweep` may forget. */
  get unread(): number {
    return this.#unread.size
  }

  addReader(reader: Reader): number {
    const id = this.#freeReaders.pop() ?? this.#readers.length
    this.#readers[id] = reader
    return id
  }

  removeReader(id: number): void {
    this.setReads(id, [])
    this.#readers[id] = undefined
    this.#freeReaders.push(id)
  }

  /** The slot of the first facet of an entity; those of the others follow. Good until the next `sweep`. */
  base(entity: string): number {
    let id = this.#ids.get(entity)
    if (id === undefined) {
      id = this.#freeIds.pop() ?? this.#entities.length
      this.#ids.set(entity, id)
      this.#entities[id] = entity
      this.#unread.add(id)
    }
    return id * STRIDE
  }

  /** From now on the reader reads exactly these slots; some may be named twice. */
  setReads(reader: number, slots: readonly number[]): void {
    const wanted = this.#marks.next()
    const kept = this.#marks.next()
    for (const slot of slots) this.#marks.set(slot, wanted)
    this.#edges.dropUnless(
      reader,
      (slot) => this.#marks.replace(slot, wanted, kept),
      (slot) => {
        if (!this.#edges.isRead(slot)) this.#unread.add(Math.floor(slot / STRIDE))
      },
    )
    for (const slot of slots) if (this.#marks.replace(slot, wanted, kept)) this.#edges.add(reader, slot)
  }

  /** Entities the reader depends on. */
  *entitiesOf(reader: number): Iterable<string> {
    for (const slot of this.#edges.slotsOf(reader)) yield this.#entities[Math.floor(slot / STRIDE)]!
  }

  /** The readers of any of these facets (a set of bits), each once. */
  readersOf(entity: string, facets = 1): readonly Reader[] {
    const id = this.#ids.get(entity)
    if (id === undefined) return []
    const found: Reader[] = []
    const seen = this.#seen.next()
    const note = (reader: number): boolean => {
      if (this.#seen.replace(reader, seen, seen)) return false
      this.#seen.set(reader, seen)
      return found.push(this.#readers[reader]!) < 0
    }
    for (const facet of FACETS) if ((facets & (1 << facet)) !== 0) this.#edges.findReader(id * STRIDE + facet, note)
    return found
  }

  /** Whether anyone but these readers reads one of these facets (a set of bits). */
  isReadByOthers(entity: string, facets: number, readers: readonly number[]): boolean {
    const id = this.#ids.get(entity)
    if (id === undefined) return false
    const isOther = (reader: number): boolean => !readers.includes(reader)
    return FACETS.some(
      (facet) => (facets & (1 << facet)) !== 0 && this.#edges.findReader(id * STRIDE + facet, isOther) !== undefined,
    )
  }

  isRead(slot: number): boolean {
    return this.#edges.isRead(slot)
  }

  /** Forgets entities nobody reads any more and returns them. Only between runs: a run holds slots not yet linked. */
  sweep(): readonly string[] {
    const gone: string[] = []
    for (const id of this.#unread) {
      if (FACETS.some((facet) => this.#edges.isRead(id * STRIDE + facet))) continue
      const entity = this.#entities[id]!
      this.#ids.delete(entity)
      this.#entities[id] = undefined
      this.#freeIds.push(id)
      gone.push(entity)
    }
    this.#unread.clear()
    return gone
  }
}
