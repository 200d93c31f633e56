import type { Kind } from '#domain/kind.ts'
import type { OwnerReference, Resource } from '#domain/object.ts'
import { FOREGROUND } from './deletion.ts'
import { resourceKey } from './keys.ts'
import type { Parts } from './parts.ts'
import { WAITING_FOR_DEPENDENTS, mayHold, uidOf } from './resource-bytes.ts'

/** `waiting`: the owner is being deleted in the foreground and goes after its dependents. */
export type OwnerState = 'solid' | 'waiting' | 'absent'

/**
 * Where an owner must be: in the namespace of its dependent, or cluster-wide. Undefined for kinds not served here and for
 * namespaced owners of cluster-scoped objects: nobody can tell whether they exist, so they count as there.
 */
export function ownerKey(
  parts: Parts,
  dependent: Resource,
  { apiVersion, kind: name, name: owner }: OwnerReference,
): string | undefined {
  const kind = parts.kinds.ofKind(apiVersion, name)
  if (!kind) return undefined
  const { namespace = '' } = dependent.metadata
  if (kind.scope === 'Namespaced' && namespace === '') return undefined
  return resourceKey(kind, { namespace: kind.scope === 'Cluster' ? '' : namespace, name: owner })
}

export function ownerState(parts: Parts, dependent: Resource, reference: OwnerReference): OwnerState {
  const key = ownerKey(parts, dependent, reference)
  if (key === undefined) return 'solid'
  const entry = parts.store.get(key)
  if (!entry || uidOf(entry.value) !== reference.uid) return 'absent'
  return mayHold(entry.value, WAITING_FOR_DEPENDENTS) && isWaiting(parts.cache.stored(entry).resource)
    ? 'waiting'
    : 'solid'
}

export const isWaiting = ({ metadata }: Resource): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(FOREGROUND) === true

/** The object without the owner references `drop` picks; the same object when it picks none. */
export function withoutOwners(resource: Resource, drop: (reference: OwnerReference) => boolean): Resource {
  const { ownerReferences = [], ...metadata } = resource.metadata
  const kept = ownerReferences.filter((reference) => !drop(reference))
  if (kept.length === ownerReferences.length) return resource
  return { ...resource, metadata: kept.length > 0 ? { ...metadata, ownerReferences: kept } : metadata }
}

export function withoutFinalizer(resource: Resource, finalizer: string): Resource {
  const { finalizers = [], ...metadata } = resource.metadata
  const kept = finalizers.filter((other) => other !== finalizer)
  if (kept.length === finalizers.length) return resource
  return { ...resource, metadata: kept.length > 0 ? { ...metadata, finalizers: kept } : metadata }
}

/** Two owners that wait for each other would wait for ever: one stops blocking. */
export function withoutBlocking(resource: Resource): Resource {
  const owners = resource.metadata.ownerReferences ?? []
  if (!owners.some((owner) => owner.blockOwnerDeletion)) return resource
  const ownerReferences = owners.map((owner) =>
    owner.blockOwnerDeletion ? { ...owner, blockOwnerDeletion: false } : owner,
  )
  return { ...resource, metadata: { ...resource.metadata, ownerReferences } }
}

export interface Located {
  readonly kind: Kind
  readonly key: string
  readonly resource: Resource
}
