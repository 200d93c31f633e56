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

/** What `kubectl get` prints: the name and the columns of the kind. */
export function encodeTable(kind: Kind, items: readonly Stored[], metadata: object, options: TableOptions): Uint8Array {
  const table = {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata,
    columnDefinitions: options.columns === false ? null : columnDefinitions(kind),
    rows: items.map((stored) => row(kind, stored, options)),
  }
  return Buffer.from(encodeJson(table))
}

function columnDefinitions(kind: Kind): object[] {
  const name = {
    name: 'Name',
    type: 'string',
    format: 'name',
    description: 'Unique within the namespace.',
    priority: 0,
  }
  return [name, ...kind.columns.map(columnDefinition)]
}

const columnDefinition = (column: Column): object => ({
  name: column.name,
  type: column.type,
  format: '',
  description: column.doc ?? `Shows ${column.path}`,
  priority: column.priority ?? 0,
})

function row(kind: Kind, stored: Stored, options: TableOptions): object {
  const { resource } = stored
  const cells = [resource.metadata.name, ...kind.columns.map((column) => cellOf(column, resource, options.now))]
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
