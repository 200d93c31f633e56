import type { Resource } from '#domain/object.ts'

/** The engine keeps every resource in memory and never asks who owns which field: that half of a small object stays out. */
export function unmanaged(resource: Resource): Resource {
  if (resource.metadata.managedFields === undefined) return resource
  const known = shared.get(resource)
  if (known !== undefined) return known
  const { managedFields: _, ...metadata } = resource.metadata
  const stripped = { ...resource, metadata }
  shared.set(resource, stripped)
  return stripped
}

/** However many follow, they share one stripped form. */
const shared = new WeakMap<Resource, Resource>()
