import type { Resource } from '#domain/object.ts'
import type { Entry, Expectation, Op, Revision } from '#store/store.ts'
import type { Deleted, Stored, Written } from './registry.ts'
import { encodeResource } from './resource-bytes.ts'
import type { ResourceCache } from './stored.ts'

/** A put that remembers the bytes it was written with, so that the answer needs no second encoding. */
export interface PendingPut {
  readonly op: Op
  stored(cache: ResourceCache, revision: Revision): Stored
}

export function preparePut(key: string, expect: Expectation, resource: Resource): PendingPut {
  let value: Uint8Array = new Uint8Array(0)
  const encode = (revision: Revision): Uint8Array => (value = encodeResource(resource, revision))
  return {
    op: { type: 'put', key, expect, encode },
    stored: (cache, revision) => cache.stored({ key, value, revision }),
  }
}

/** The answer to a dry run: the object as it would be, under the revision it has now. */
export function preview(resource: Resource, entry: Entry | undefined): Stored {
  return { bytes: encodeResource(resource, entry?.revision), revision: entry?.revision ?? 0, resource }
}

/** Getters stay getters: most answers never need the parsed form. */
export const asWritten = (stored: Stored, warnings: readonly string[], created: boolean): Written => ({
  get bytes() {
    return stored.bytes
  },
  get revision() {
    return stored.revision
  },
  get resource() {
    return stored.resource
  },
  warnings,
  created,
})

export const asDeleted = (stored: Stored, gone: boolean): Deleted => ({
  get bytes() {
    return stored.bytes
  },
  get revision() {
    return stored.revision
  },
  get resource() {
    return stored.resource
  },
  gone,
})
