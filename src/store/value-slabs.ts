import type { Entry } from './store.ts'

/**
 * The bytes of all current values, packed into large buffers.
 *
 * A buffer per value would cost several hundred bytes of headers each. Slabs are only ever appended to, so a view handed
 * out stays valid and unchanged for ever; a slab whose values are mostly outdated is emptied into the newest one and left
 * to the garbage collector.
 */
export interface Version {
  readonly key: string
  readonly revision: number
  /** Position of the write within its transaction: with the revision it names one write of the log. */
  readonly index: number
  /** Where the value is; undefined when it is empty or the version has been released. */
  slab: Slab | undefined
  offset: number
  readonly length: number
}

export interface Slab {
  readonly bytes: Uint8Array
  used: number
  live: number
  /** Everything ever put here, so that emptying a slab needs no search. */
  readonly versions: Version[]
}

const SLAB = 1 << 20
/** Larger values get a slab of their own: otherwise they would leave big unused tails. */
const LARGE = SLAB / 8
/** A slab of tiny values is full before its bytes are: outdated versions are remembered until their slab is emptied. */
const MOST = 16_384
/** A slab is emptied when less than this share of it is current. */
const WORTH_KEEPING = 0.5

const NOTHING = new Uint8Array(0)

export class ValueSlabs {
  #open: Slab = emptySlab(SLAB)

  /** Copies `value` in. */
  add(id: { readonly key: string; readonly revision: number; readonly index: number }, value: Uint8Array): Version {
    if (value.length === 0) return { ...id, slab: undefined, offset: 0, length: 0 }
    const slab = this.#roomFor(value.length)
    const version: Version = { ...id, slab, offset: slab.used, length: value.length }
    place(version, slab, value)
    return version
  }

  /** The version is no longer current. Views of it stay valid. */
  release(version: Version): void {
    const { slab } = version
    if (!slab) return
    version.slab = undefined
    slab.live -= version.length
    if (slab !== this.#open) this.#tidy(slab)
  }

  /** Empties a slab that is no longer worth its memory. */
  #tidy(slab: Slab): void {
    if (slab.live >= slab.used * WORTH_KEEPING) return
    for (const version of slab.versions) {
      if (version.slab !== slab) continue
      const value = viewOf(version)
      const target = this.#roomFor(value.length)
      version.offset = target.used
      version.slab = target
      place(version, target, value)
    }
    slab.versions.length = 0
    slab.live = 0
  }

  #roomFor(length: number): Slab {
    if (length > LARGE) return emptySlab(length)
    if (this.#open.used + length > SLAB || this.#open.versions.length >= MOST) {
      const full = this.#open
      this.#open = emptySlab(SLAB)
      this.#tidy(full)
    }
    return this.#open
  }
}

/** The value of a version; stays valid and unchanged whatever happens to the version. */
export function viewOf({ slab, offset, length }: Version): Uint8Array {
  if (!slab) return NOTHING
  return new Uint8Array(slab.bytes.buffer as ArrayBuffer, slab.bytes.byteOffset + offset, length)
}

/**
 * A version as an entry. The view is made when somebody looks: it takes three times the memory of this, and a list has a
 * hundred thousand of them. Where the value is now it stays, whatever happens to the version.
 */
export class VersionEntry implements Entry {
  readonly key: string
  readonly revision: number
  readonly #bytes: Uint8Array
  readonly #offset: number
  readonly #length: number

  constructor({ key, revision, slab, offset, length }: Version) {
    this.key = key
    this.revision = revision
    this.#bytes = slab?.bytes ?? NOTHING
    this.#offset = slab === undefined ? 0 : offset
    this.#length = slab === undefined ? 0 : length
  }

  get value(): Uint8Array {
    return new Uint8Array(this.#bytes.buffer as ArrayBuffer, this.#bytes.byteOffset + this.#offset, this.#length)
  }
}

/** Takes over a buffer of packed values; their versions are entered with {@link adoptVersion}. */
export function adoptSlab(bytes: Uint8Array): Slab {
  return { bytes, used: bytes.length, live: 0, versions: [] }
}

export function adoptVersion(version: Version & { slab: Slab }): Version {
  if (version.length === 0) return { ...version, slab: undefined }
  version.slab.live += version.length
  version.slab.versions.push(version)
  return version
}

function emptySlab(size: number): Slab {
  return { bytes: new Uint8Array(size), used: 0, live: 0, versions: [] }
}

function place(version: Version, slab: Slab, value: Uint8Array): void {
  slab.bytes.set(value, version.offset)
  slab.used += version.length
  slab.live += version.length
  slab.versions.push(version)
}
