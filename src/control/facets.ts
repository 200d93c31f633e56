import { findCondition, isStale } from '#domain/condition.ts'
import { equal } from '#domain/equal.ts'
import type { Condition, Metadata, Resource } from '#domain/object.ts'

/** The parts of an object that can be read, and change, on their own. The number is the bit in a set of facets. */
export const Facet = { exists: 0, metadata: 1, spec: 2, status: 3, ready: 4, conditions: 5 } as const
export type Facet = (typeof Facet)[keyof typeof Facet]
export const FACETS: readonly Facet[] = Object.values(Facet)
export const ALL_FACETS = 0b111111

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
  if (!sameStatus(before.status, after.status)) bits |= 1 << Facet.status
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

function sameStatus(a: Resource['status'], b: Resource['status']): boolean {
  return a === b || equal(withoutConditions(a), withoutConditions(b))
}

export function withoutConditions(status: Resource['status']): object {
  if (status === undefined || status === null) return {}
  const { conditions: _, ...rest } = status as { conditions?: unknown }
  return rest
}

function sameConditions(a: readonly Condition[] = [], b: readonly Condition[] = []): boolean {
  return a === b || (a.length === b.length && a.every((condition, i) => sameCondition(condition, b[i]!)))
}

/** Since when does not matter. */
function sameCondition(a: Condition, b: Condition): boolean {
  return (
    a === b ||
    (a.type === b.type &&
      a.status === b.status &&
      a.reason === b.reason &&
      a.message === b.message &&
      a.observedGeneration === b.observedGeneration)
  )
}
