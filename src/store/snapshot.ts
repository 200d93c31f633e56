import type { Entry, Revision, Snapshot } from './store.ts'
import type { Version } from './value-slabs.ts'

const NOTHING = new Uint8Array(0)

/**
 * Where everything was at one moment, in a few bytes for each entry: a list of a hundred thousand objects is sent without
 * a hundred thousand entries and views of them. Slabs are only appended to, so what was found there stays there.
 */
export class VersionSnapshot implements Snapshot {
  readonly revision: Revision
  readonly bytes: number
  readonly #versions: Version[] = []
  readonly #slabs: Uint8Array[] = []
  readonly #offsets: number[] = []

  constructor(versions: Iterable<Version>, revision: Revision) {
    this.revision = revision
    let bytes = 0
    for (const version of versions) {
      this.#versions.push(version)
      this.#slabs.push(version.slab?.bytes ?? NOTHING)
      this.#offsets.push(version.slab === undefined ? 0 : version.offset)
      bytes += version.length
    }
    this.bytes = bytes
  }

  get count(): number {
    return this.#versions.length
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (const [i, { key, revision, length }] of this.#versions.entries()) {
      const { buffer, byteOffset } = this.#slabs[i]!
      yield { key, revision, value: new Uint8Array(buffer as ArrayBuffer, byteOffset + this.#offsets[i]!, length) }
    }
  }
}
