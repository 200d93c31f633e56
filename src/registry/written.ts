import type { Resource } from '#domain/object.ts'
import type { Entry, Expectation, Op, Revision } from '#store/store.ts'
import type { Deleted, Stored, Written } from './registry.ts'
import { encodeResource } from './resource-bytes.ts'
import type { ResourceCache } from './stored.ts'

/** A put that remembers the bytes it was written with, so that the answer needs no second encoding. */
export interface PendingPut {
  readonly op: Op
  /** The same, for a resource that is in its stored form to the last field: readers need not parse what was just written. */
  keptIn(cache: ResourceCache): Op
  stored(cache: ResourceCache, revision: Revision): Stored
}

export function preparePut(key: string, expect: Expectation, resource: Resource): PendingPut {
  let value: Uint8Array = new Uint8Array(0)
  const encode = (revision: Revision): Uint8Array => (value = encodeResource(resource, revision))
  return {
    op: { type: 'put', key, expect, encode },
    keptIn: (cache) => ({
      type: 'put',
      key,
      expect,
      encode: (revision) => {
        const bytes = encode(revision)
        const metadata = { ...resource.metadata, resourceVersion: String(revision) }
        cache.keep({ key, value: bytes, revision }, { ...resource, metadata })
        return bytes
      },
    }),
    stored: (cache, revision) => cache.stored({ key, value, revision }),
  }
}

/** The answer to a dry run: the object as it would be, under the revision it has now. */
export function preview(resource: Resource, entry: Entry | undefined): Stored {
  return { bytes: encodeResource(resource, entry?.revision), revision: entry?.revision ?? 0, resource }
}

/** Lazy like the object it stands for: most answers never need the parsed form. */
class Answer implements Stored {
  readonly #stored: Stored

  constructor(stored: Stored) {
    this.#stored = stored
  }

  get bytes(): Uint8Array {
    return this.#stored.bytes
  }

  get revision(): Revision {
    return this.#stored.revision
  }

  get resource(): Resource {
    return this.#stored.resource
  }
}

export class WrittenAnswer extends Answer implements Written {
  readonly warnings: readonly string[]
  readonly created: boolean

  constructor(stored: Stored, warnings: readonly string[], created: boolean) {
    super(stored)
    this.warnings = warnings
    this.created = created
  }
}

export class DeletedAnswer extends Answer implements Deleted {
  readonly gone: boolean

  constructor(stored: Stored, gone: boolean) {
    super(stored)
    this.gone = gone
  }
}
