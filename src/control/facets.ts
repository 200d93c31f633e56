import { findCondition, isStale } from '#domain/condition.ts'
import { equal } from '#domain/equal.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import type { Condition, Metadata, Resource } from '#domain/object.ts'

/** The parts of an object that can be read, and change, on their own. The number is the bit in a set of facets. */
export const Facet = { exists: 0, metadata: 1, spec: 2, status: 3, ready: 4, conditions: 5 } as const
export type Facet = (typeof Facet)[keyof typeof Facet]
export const FACETS: readonly Facet[] = Object.values(Facet)
export const ALL_FACETS = 0b111111

const ids = new WeakMap<Kind<any, any>, string>()

/** Names a kind: the same string that `apiVersion/kind` of its resources gives. */
export function kindId(kind: Kind<any, any>): string {
  let id = ids.get(kind)
  if (id === undefined) ids.set(kind, (id = `${apiVersionOf(kind)}/${kind.kind}`))
  return id
}

export const kindIdOf = (resource: Pick<Resource, 'apiVersion' | 'kind'>): string =>
  `${resource.apiVersion}/${resource.kind}`

/** Names an object within its kind. */
export const objectKey = (namespace: string, name: string): string => `${namespace}/${name}`
export const keyOfResource = (resource: Resource): string =>
  objectKey(resource.metadata.namespace ?? '', resource.metadata.name)

/** Names an object among all. */
export const entityKey = (kind: string, key: string): string => `${kind}/${key}`
export function entityOf(resource: Resource): string {
  let entity = entities.get(resource)
  if (entity === undefined) entities.set(resource, (entity = entityKey(kindIdOf(resource), keyOfResource(resource))))
  return entity
}

const entities = new WeakMap<Resource, string>()

/** Ready=True for the current generation (decisions §4.2). */
export function isReady(resource: Resource): boolean {
  const condition = findCondition(resource.status?.conditions, 'Ready')
  return condition?.status === 'True' && !isStale(condition, resource.metadata.generation ?? 0)
}

export function controllerUid(metadata: Metadata): string | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller === true)?.uid
}

/** The facets in which two states of one object differ, as a set of bits. */
export function changedFacets(before: Resource | undefined, after: Resource | undefined): number {
  if (before === undefined || after === undefined) return before === after ? 0 : ALL_FACETS
  if (before.metadata.uid !== after.metadata.uid) return ALL_FACETS
  let bits = 0
  if (!sameMetadata(before.metadata, after.metadata)) bits |= 1 << Facet.metadata
  if (before.metadata.generation !== after.metadata.generation || !equal(before.spec, after.spec))
    bits |= 1 << Facet.spec
  if (!equal(withoutConditions(before.status), withoutConditions(after.status))) bits |= 1 << Facet.status
  if (isReady(before) !== isReady(after)) bits |= 1 << Facet.ready
  if (!sameConditions(before.status?.conditions, after.status?.conditions)) bits |= 1 << Facet.conditions
  return bits
}

function sameMetadata(a: Metadata, b: Metadata): boolean {
  return (
    equal(a.labels ?? {}, b.labels ?? {}) &&
    equal(a.annotations ?? {}, b.annotations ?? {}) &&
    (a.deletionTimestamp === undefined) === (b.deletionTimestamp === undefined) &&
    controllerUid(a) === controllerUid(b)
  )
}

export function withoutConditions(status: Resource['status']): object {
  if (status === undefined || status === null) return {}
  const { conditions: _, ...rest } = status as { conditions?: unknown }
  return rest
}

function sameConditions(a: readonly Condition[] = [], b: readonly Condition[] = []): boolean {
  return a === b || (a.length === b.length && a.every((condition, i) => sameCondition(condition, b[i]!)))
}

function sameCondition(a: Condition, b: Condition): boolean {
  return equal({ ...a, lastTransitionTime: '' }, { ...b, lastTransitionTime: '' })
}
