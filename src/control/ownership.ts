import { label, type Metadata, type OwnerReference, type Resource } from '#domain/object.ts'
import type { Cache } from './cache.ts'
import { entityName, entityOf } from './entity.ts'

/** Across namespaces a reference to the owner is not possible: its full key stands here, its uid in the label. */
export const OWNER_ANNOTATION = label('owner')
export const OWNER_LABEL = label('owner.uid')

/** Inside a namespace (and below cluster-scoped owners) the API server itself collects what has lost its owner. */
export const canRefer = (owner: Resource, namespace: string): boolean =>
  owner.metadata.namespace === undefined || owner.metadata.namespace === '' || owner.metadata.namespace === namespace

export function ownerReference(owner: Resource, controller: boolean): OwnerReference {
  const { apiVersion, kind, metadata } = owner
  const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }
  return controller ? { ...reference, controller: true, blockOwnerDeletion: true } : reference
}

const controllerOf = (metadata: Metadata): OwnerReference | undefined =>
  metadata.ownerReferences?.find((reference) => reference.controller === true)

/** Who controls an object, as a key of the table below; undefined when nobody of ours says so. */
function ownerId(resource: Resource): string | undefined {
  const controller = controllerOf(resource.metadata)
  if (controller !== undefined) return controller.uid
  return resource.metadata.annotations?.[OWNER_ANNOTATION]
}

/** Whether somebody of ours made it. */
export const isOwned = (resource: Resource): boolean =>
  ownerId(resource) !== undefined || (resource.metadata.ownerReferences?.length ?? 0) > 0

/** The entity that controls an object, whether or not it still exists. */
export function ownerEntity(resource: Resource, cache: Cache): string | undefined {
  const controller = controllerOf(resource.metadata)
  if (controller === undefined) return resource.metadata.annotations?.[OWNER_ANNOTATION]
  const kind = `${controller.apiVersion}/${controller.kind}`
  const near = entityName(kind, resource.metadata.namespace ?? '', controller.name)
  if (cache.get(near) !== undefined) return near
  const far = entityName(kind, '', controller.name)
  return cache.get(far) === undefined ? near : far
}

/** Whether `owner`, as it exists now, controls the object. A predecessor of the same name is not the same owner. */
export const controls = (owner: Resource, resource: Resource): boolean => {
  const id = ownerId(resource)
  if (id === undefined) return false
  return id === owner.metadata.uid || (id === entityOf(owner) && !isInherited(owner, resource))
}

/** Left, in another namespace, by one who had the owner's name before. */
export function isInherited(owner: Resource, { metadata }: Resource): boolean {
  if (controllerOf(metadata) !== undefined || metadata.annotations?.[OWNER_ANNOTATION] !== entityOf(owner)) return false
  const uid = metadata.labels?.[OWNER_LABEL]
  return uid !== undefined && uid !== owner.metadata.uid
}

/** What each owner controls, kept current with the cache. */
export class Owned {
  readonly #byOwner = new Map<string, Map<string, Resource>>()

  change(before: Resource | undefined, after: Resource | undefined): void {
    const old = before && ownerId(before)
    const now = after && ownerId(after)
    if (old !== undefined && old !== now) this.#remove(old, before!)
    if (now === undefined) return
    let objects = this.#byOwner.get(now)
    if (objects === undefined) this.#byOwner.set(now, (objects = new Map()))
    objects.set(entityOf(after!), after!)
  }

  *of(owner: Resource): Iterable<Resource> {
    yield* this.#byOwner.get(owner.metadata.uid ?? '')?.values() ?? []
    yield* this.ofEntity(entityOf(owner))
  }

  /** What is controlled across namespaces. */
  ofEntity(entity: string): Iterable<Resource> {
    return this.#byOwner.get(entity)?.values() ?? []
  }

  /** Owners across namespaces that are not there (any more). */
  *lost(cache: Cache): Iterable<string> {
    for (const objects of this.#byOwner.values()) {
      for (const resource of objects.values()) {
        const owner = resource.metadata.annotations?.[OWNER_ANNOTATION]
        if (owner === undefined || controllerOf(resource.metadata) !== undefined) break
        if (!isThere(owner, cache)) yield owner
        break
      }
    }
  }

  #remove(owner: string, resource: Resource): void {
    const objects = this.#byOwner.get(owner)
    objects?.delete(entityOf(resource))
    if (objects?.size === 0) this.#byOwner.delete(owner)
  }
}

export const isThere = (entity: string, cache: Cache): boolean => cache.get(entity) !== undefined
