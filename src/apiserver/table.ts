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
const columnsOf = ({ columns }: Kind): readonly Column[] =>
  columns.some((column) => column.name === NAME.name) ? columns : [NAME, ...columns]

/** What `kubectl get` prints: the name and the columns of the kind. */
export function encodeTable(kind: Kind, items: readonly Stored[], metadata: object, options: TableOptions): Uint8Array {
  const columns = columnsOf(kind)
  const table = {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata,
    columnDefinitions: options.columns === false ? null : columns.map(columnDefinition),
    rows: items.map((stored) => row(columns, stored, options)),
  }
  return Buffer.from(encodeJson(table))
}

const columnDefinition = (column: Column): object => ({
  name: column.name,
  type: column.type,
  format: column.name === NAME.name ? 'name' : '',
  description: column.doc ?? `Shows ${column.path}`,
  priority: column.priority ?? 0,
})

function row(columns: readonly Column[], stored: Stored, options: TableOptions): object {
  const cells = columns.map((column) => cellOf(column, stored.resource, options.now))
  return { cells, object: rowObject(stored, options) }
}

function rowObject(stored: Stored, options: TableOptions): unknown {
  if (options.includeObject === 'None') return null
  if (options.includeObject === 'Object') return decodeTrusted(stored.bytes)
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata: stored.resource.metadata,
  }
}
