import type { Kind } from '#domain/kind.ts'
import { encodeJson } from '#lib/json.ts'
import type { Listed, Stored } from '#registry/registry.ts'
import type { Accepted, View } from './negotiate.ts'
import { encodeRow, encodeTable, encodeTableHead, type TableOptions } from './table.ts'

export const OBJECT_VIEWS: ReadonlySet<View> = new Set<View>(['Object', 'Table', 'PartialObjectMetadata'])
export const LIST_VIEWS: ReadonlySet<View> = new Set<View>(['Object', 'Table', 'PartialObjectMetadataList'])
/** A watch sends objects, so the list form of metadata makes no sense there; Kubernetes accepts it all the same. */
export const WATCH_VIEWS: ReadonlySet<View> = new Set<View>([...OBJECT_VIEWS, 'PartialObjectMetadataList'])

export interface Shown {
  readonly kind: Kind
  readonly accepted: Accepted
  readonly table: Omit<TableOptions, 'version'>
}

/** One object in the form the caller asked for. */
export function showObject(stored: Stored, { kind, accepted, table }: Shown): Uint8Array {
  if (accepted.as === 'Object') return stored.bytes
  if (accepted.as === 'Table') {
    const metadata = { resourceVersion: String(stored.revision) }
    return encodeTable(kind, [stored], metadata, { ...table, version: accepted.version })
  }
  return Buffer.from(encodeJson(partialMetadata(stored, accepted.version)))
}

export const partialMetadata = (stored: Stored, version: string): object => ({
  kind: 'PartialObjectMetadata',
  apiVersion: `meta.k8s.io/${version}`,
  metadata: stored.resource.metadata,
})

/** The metadata of a list, as text to be put before its items. */
export function listMetadata(listed: Listed): {
  resourceVersion: string
  continue?: string
  remainingItemCount?: number
} {
  return {
    resourceVersion: String(listed.revision),
    ...(listed.continue === undefined ? {} : { continue: listed.continue }),
    ...(listed.remaining === undefined || listed.remaining === 0 ? {} : { remainingItemCount: listed.remaining }),
  }
}

/** A list that is encoded while it is sent: nobody waits until a hundred thousand objects are. */
export interface ShownList {
  /** JSON of all that comes before the entries, not closed. */
  readonly head: string
  readonly key: 'items' | 'rows'
  /** Their JSON. The stored objects are among them as they are, not copied. */
  readonly entries: Iterable<Uint8Array>
  /** How many there are and how many bytes they have together, unless that is only known when they are encoded. */
  readonly known?: { readonly count: number; readonly bytes: number }
}

export function showList(listed: Listed, { kind, accepted, table }: Shown): ShownList {
  const metadata = listMetadata(listed)
  if (accepted.as === 'Table') {
    const options = { ...table, version: accepted.version }
    const head = encodeTableHead(kind, metadata, options)
    return {
      head,
      key: 'rows',
      entries: encoded(listed.whole ?? listed.items, (stored) => encodeRow(kind, stored, options)),
    }
  }
  if (accepted.as === 'PartialObjectMetadataList') {
    const apiVersion = `meta.k8s.io/${accepted.version}`
    const head = encodeJson({ kind: 'PartialObjectMetadataList', apiVersion, metadata }).slice(0, -1)
    const encode = (stored: Stored): string => encodeJson(partialMetadata(stored, accepted.version))
    return { head, key: 'items', entries: encoded(listed.whole ?? listed.items, encode) }
  }
  return objectList(kind, metadata, listed)
}

function* encoded(items: Iterable<Stored>, encode: (stored: Stored) => string): Generator<Uint8Array> {
  for (const stored of items) yield Buffer.from(encode(stored))
}

function objectList(kind: Kind, metadata: object, listed: Listed): ShownList {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
  const head = `{"apiVersion":"${apiVersion}","kind":"${kind.kind}List","metadata":${encodeJson(metadata)}`
  const { whole } = listed
  if (whole !== undefined) return { head, key: 'items', entries: bytesOf(whole), known: whole }
  let bytes = 0
  for (const stored of listed.items) bytes += stored.bytes.length
  return { head, key: 'items', entries: bytesOf(listed.items), known: { count: listed.items.length, bytes } }
}

/** Views are made as they are sent: all of them together take more memory than what they are views of in small objects. */
function* bytesOf(items: Iterable<Stored>): Generator<Uint8Array> {
  for (const stored of items) yield stored.bytes
}
