import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { mayBeRemoved } from './deletion.ts'
import type { Parts } from './parts.ts'
import { transact } from './store-errors.ts'
import { preparePut } from './written.ts'

const ATTEMPTS = 20

/**
 * Changes an object the way the server itself does (finalizers, owners, deletion), without admission: such a change must
 * succeed even for an object that today's rules would refuse. `change` returns its argument when there is nothing to do.
 */
export async function rewrite(
  parts: Parts,
  kind: Kind,
  key: string,
  change: (current: Resource) => Resource,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const entry = parts.store.get(key)
    if (!entry) return
    const old = parts.cache.stored(entry).resource
    const next = change(old)
    if (next === old) return
    const ops = mayBeRemoved(kind, next)
      ? [{ type: 'delete', key, expect: entry.revision } as const, ...parts.vault.ops(kind, old, undefined, [])]
      : [preparePut(key, entry.revision, next).op]
    const outcome = await transact(parts.store, ops)
    if (outcome.ok) return
  }
  throw new Error(`${key} changes too fast to be changed`)
}
