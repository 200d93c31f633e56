import type { FileSpec } from '#domain/kinds/files/file.ts'
import type { Key } from '#registry/registry.ts'
import type { Op, Store } from '#store/store.ts'

/** The bytes of files live under a root of their own that no list or watch of resources reaches. */
export const FILE_ROOT = 'file:'

/** No value of the store is larger. */
const CHUNK = 512 * 1024

/** The checksum is part of the key: chunks of two versions never mix. */
const prefixOf = ({ namespace, name }: Key, checksum: string): string =>
  `${FILE_ROOT}${namespace}/${name}/${checksum.replaceAll('/', '_')}/`

const chunkKey = (prefix: string, index: number): string => prefix + String(index).padStart(4, '0')

export function chunkOps(key: Key, checksum: string, bytes: Uint8Array): readonly Op[] {
  const prefix = prefixOf(key, checksum)
  return Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, i): Op => {
    const value = bytes.slice(i * CHUNK, (i + 1) * CHUNK)
    return { type: 'put', key: chunkKey(prefix, i), expect: 'any', encode: () => value }
  })
}

/** Only what is there now: a chunk written again in the meantime is somebody else's. */
export const chunkRemovals = (store: Store, key: Key, checksum: string): readonly Op[] =>
  Array.from(store.entries(prefixOf(key, checksum)), (entry) => ({
    type: 'delete' as const,
    key: entry.key,
    expect: entry.revision,
  }))

/** Undefined when a part is missing. */
export function readChunks(store: Store, key: Key, { checksum, size }: FileSpec): Uint8Array | undefined {
  const prefix = prefixOf(key, checksum)
  const bytes = new Uint8Array(size)
  for (let at = 0, i = 0; at < size; i++) {
    const value = store.get(chunkKey(prefix, i))?.value
    if (value === undefined || at + value.length > size) return undefined
    bytes.set(value, at)
    at += value.length
  }
  return bytes
}
