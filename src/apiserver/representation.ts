import type { Kind } from '#domain/kind.ts'
import { encodeJson } from '#lib/json.ts'
import type { Listed, Stored } from '#registry/registry.ts'
import type { Accepted, View } from './negotiate.ts'
import { encodeTable, type TableOptions } from './table.ts'

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

/** A list as parts to be sent one after the other: the stored objects are among them as they are, not copied. */
export function showList(listed: Listed, { kind, accepted, table }: Shown): readonly Uint8Array[] {
  const metadata = listMetadata(listed)
  if (accepted.as === 'Table') {
    return [encodeTable(kind, listed.items, metadata, { ...table, version: accepted.version })]
  }
  if (accepted.as === 'PartialObjectMetadataList') {
    const items = listed.items.map((stored) => partialMetadata(stored, accepted.version))
    const apiVersion = `meta.k8s.io/${accepted.version}`
    return [Buffer.from(encodeJson({ kind: 'PartialObjectMetadataList', apiVersion, metadata, items }))]
  }
  return objectList(kind, metadata, listed.items)
}

const COMMA = Buffer.from(',')
const END = Buffer.from(']}')

function objectList(kind: Kind, metadata: object, items: readonly Stored[]): Uint8Array[] {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
  const head = `{"apiVersion":"${apiVersion}","kind":"${kind.kind}List","metadata":${encodeJson(metadata)},"items":[`
  const parts: Uint8Array[] = [Buffer.from(head)]
  for (const [i, item] of items.entries()) {
    if (i > 0) parts.push(COMMA)
    parts.push(item.bytes)
  }
  parts.push(END)
  return parts
}
