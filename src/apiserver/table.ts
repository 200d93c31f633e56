import { cellOf } from '#domain/column.ts'
import type { Column, Kind } from '#domain/kind.ts'
import { encodeJson, decodeTrusted } from '#lib/json.ts'
import type { Stored } from '#registry/registry.ts'

export interface TableOptions {
  readonly version: string
  readonly includeObject: 'None' | 'Metadata' | 'Object'
  /** Milliseconds since the epoch, for ages. */
  readonly now: number
  /** Later events of a watch leave the columns out. */
  readonly columns?: boolean | undefined
}

const NAME: Column = { name: 'Name', type: 'string', path: '.metadata.name', doc: 'Unique within the namespace.' }

/** The name comes first, but for kinds that say themselves where it stands. */
const columnsOf = (kind: Kind): readonly Column[] => {
  const known = columnsByKind.get(kind)
  if (known !== undefined) return known
  const { columns } = kind
  const all = columns.some((column) => column.name === NAME.name) ? columns : [NAME, ...columns]
  columnsByKind.set(kind, all)
  return all
}

const columnsByKind = new WeakMap<Kind, readonly Column[]>()

/** What `kubectl get` prints: the name and the columns of the kind. */
export function encodeTable(kind: Kind, items: readonly Stored[], metadata: object, options: TableOptions): Uint8Array {
  const rows = items.map((stored) => encodeRow(kind, stored, options))
  return Buffer.from(`${encodeTableHead(kind, metadata, options)},"rows":[${rows.join(',')}]}`)
}

/** A table up to its rows, and not closed. */
export function encodeTableHead(kind: Kind, metadata: object, options: TableOptions): string {
  const head = {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata,
    columnDefinitions: options.columns === false ? null : columnsOf(kind).map(columnDefinition),
  }
  return encodeJson(head).slice(0, -1)
}

export function encodeRow(kind: Kind, stored: Stored, options: TableOptions): string {
  const cells = columnsOf(kind).map((column) => cellOf(column, stored.resource, options.now))
  return encodeJson({ cells, object: rowObject(stored, options) })
}

const columnDefinition = (column: Column): object => ({
  name: column.name,
  type: column.type,
  format: column.name === NAME.name ? 'name' : '',
  description: column.doc ?? `Shows ${column.path}`,
  priority: column.priority ?? 0,
})

function rowObject(stored: Stored, options: TableOptions): unknown {
  if (options.includeObject === 'None') return null
  if (options.includeObject === 'Object') return decodeTrusted(stored.bytes)
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata: stored.resource.metadata,
  }
}
