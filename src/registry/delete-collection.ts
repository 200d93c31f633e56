import { setImmediate as nextTurn } from 'node:timers/promises'
import { isStatus } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import { deleteResource } from './deletion.ts'
import { listResources } from './list.ts'
import type { Parts } from './parts.ts'
import type { DeleteOptions, Listed, ListOptions, Stored, WriteContext } from './registry.ts'

export interface CollectionRequest {
  readonly kind: Kind
  readonly options: ListOptions
  readonly deletion: DeleteOptions
  readonly context: WriteContext
}

/** Deletions under way at once: enough for the store to commit them in groups. */
const WIDTH = 64

/** Deletes what the list shows and answers with that, as it was before; what is gone meanwhile is not an error. */
export async function deleteCollection(
  parts: Parts,
  { kind, options, deletion, context }: CollectionRequest,
): Promise<Listed> {
  const listed = await listResources(parts, kind, options)
  const items: Stored[] = []
  for (let at = 0; at < listed.items.length; at += WIDTH) {
    const group = listed.items.slice(at, at + WIDTH)
    const done = await Promise.all(group.map((item) => deleteOne(parts, { kind, deletion, context }, item)))
    items.push(...group.filter((_, i) => done[i]))
    // A dry run waits for no disk: all of it would happen in one turn.
    await nextTurn()
  }
  return { ...listed, items }
}

async function deleteOne(
  parts: Parts,
  { kind, deletion, context }: Omit<CollectionRequest, 'options'>,
  { resource }: Stored,
): Promise<boolean> {
  const { name, namespace = '' } = resource.metadata
  try {
    await deleteResource(parts, { kind, key: { namespace, name }, options: deletion, context })
    return true
  } catch (error) {
    if (isStatus(error, 'NotFound')) return false
    throw error
  }
}
