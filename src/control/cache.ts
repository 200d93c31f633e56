import { byNamespaceAndName, compareText, type Resource } from '#domain/object.ts'
import type { Aggregate, Index } from '#domain/plan/world.ts'
import { changedFacets, kindId, kindIdOf, keyOfResource } from './facets.ts'

/** What one change did to the answers the cache gives. */
export interface Effect {
  readonly before: Resource | undefined
  readonly after: Resource | undefined
  /** See facets.ts */
  readonly facets: number
  /** Buckets of indexes and aggregates whose answer is now different. */
  readonly buckets: readonly string[]
}

export const bucketKey = (name: string, key: string): string => `#${name}#${key}`

/** All followed resources by kind and key. Indexes are built when first asked for and kept current from then on. */
export class Cache {
  readonly #kinds = new Map<string, Map<string, Resource>>()
  readonly #indexes = new Map<string, IndexTable | AggregateTable>()
  readonly #byKind = new Map<string, (IndexTable | AggregateTable)[]>()

  get(kind: string, key: string): Resource | undefined {
    return this.#kinds.get(kind)?.get(key)
  }

  ofKind(kind: string): Iterable<Resource> {
    return this.#kinds.get(kind)?.values() ?? []
  }

  *all(): Iterable<Resource> {
    for (const objects of this.#kinds.values()) yield* objects.values()
  }

  /** By namespace and name. */
  bucket(index: Index<any, any>, key: string): readonly Resource[] {
    return (this.#table(index, () => new IndexTable(index)) as IndexTable).list(key)
  }

  values(aggregate: Aggregate, key: string): readonly string[] {
    return (this.#table(aggregate, () => new AggregateTable(aggregate)) as AggregateTable).values(key)
  }

  put(after: Resource): Effect {
    const key = keyOfResource(after)
    const objects = this.#objects(kindIdOf(after))
    const before = objects.get(key)
    objects.set(key, after)
    return this.#effect(before, after)
  }

  remove(kind: string, key: string): Effect | undefined {
    const before = this.#kinds.get(kind)?.get(key)
    if (before === undefined) return undefined
    this.#kinds.get(kind)!.delete(key)
    return this.#effect(before, undefined)
  }

  #effect(before: Resource | undefined, after: Resource | undefined): Effect {
    const buckets: string[] = []
    for (const table of this.#byKind.get(kindIdOf((after ?? before)!)) ?? []) table.change(before, after, buckets)
    return { before, after, facets: changedFacets(before, after), buckets }
  }

  #objects(kind: string): Map<string, Resource> {
    let objects = this.#kinds.get(kind)
    if (objects === undefined) this.#kinds.set(kind, (objects = new Map()))
    return objects
  }

  #table(declared: Index<any, any> | Aggregate, make: () => IndexTable | AggregateTable): IndexTable | AggregateTable {
    const known = this.#indexes.get(declared.name)
    if (known?.declared === declared) return known
    if (known !== undefined) throw new Error(`two indexes are called "${declared.name}": rename one of them`)
    const table = make()
    this.#indexes.set(declared.name, table)
    const kind = kindId(declared.kind)
    this.#byKind.set(kind, [...(this.#byKind.get(kind) ?? []), table])
    for (const resource of this.ofKind(kind)) table.change(undefined, resource, [])
    return table
  }
}

interface Bucket {
  readonly objects: Map<string, Resource>
  sorted: readonly Resource[] | undefined
}

class IndexTable {
  readonly declared: Index<any, any>
  readonly #buckets = new Map<string, Bucket>()

  constructor(index: Index<any, any>) {
    this.declared = index
  }

  list(key: string): readonly Resource[] {
    const bucket = this.#buckets.get(key)
    if (bucket === undefined) return []
    return (bucket.sorted ??= [...bucket.objects.values()].toSorted(byResourceName))
  }

  change(before: Resource | undefined, after: Resource | undefined, changed: string[]): void {
    const old = new Set(before === undefined ? [] : this.declared.keys(before))
    const now = new Set(after === undefined ? [] : this.declared.keys(after))
    const sameObject = before?.metadata.uid === after?.metadata.uid
    for (const key of old) if (!now.has(key)) this.#remove(key, before!)
    for (const key of now) this.#add(key, after!)
    for (const key of old.union(now)) {
      if (!sameObject || !old.has(key) || !now.has(key)) changed.push(bucketKey(this.declared.name, key))
    }
  }

  #remove(key: string, resource: Resource): void {
    const bucket = this.#buckets.get(key)
    if (bucket === undefined) return
    bucket.objects.delete(keyOfResource(resource))
    bucket.sorted = undefined
    if (bucket.objects.size === 0) this.#buckets.delete(key)
  }

  #add(key: string, resource: Resource): void {
    let bucket = this.#buckets.get(key)
    if (bucket === undefined) this.#buckets.set(key, (bucket = { objects: new Map(), sorted: undefined }))
    bucket.objects.set(keyOfResource(resource), resource)
    bucket.sorted = undefined
  }
}

/** Counts how many objects say each value, so that readers hear only of the first and the last one. */
class AggregateTable {
  readonly declared: Aggregate
  readonly #buckets = new Map<string, Map<string, number>>()

  constructor(aggregate: Aggregate) {
    this.declared = aggregate
  }

  values(key: string): readonly string[] {
    return [...(this.#buckets.get(key)?.keys() ?? [])].toSorted(compareText)
  }

  change(before: Resource | undefined, after: Resource | undefined, changed: string[]): void {
    const touched = new Map<string, Set<string>>()
    if (after !== undefined) for (const e of this.declared.entries(after)) this.#count(e.key, e.value, 1, touched)
    if (before !== undefined) for (const e of this.declared.entries(before)) this.#count(e.key, e.value, -1, touched)
    for (const [key, values] of touched) if (values.size > 0) changed.push(bucketKey(this.declared.name, key))
  }

  #count(key: string, value: string, by: 1 | -1, touched: Map<string, Set<string>>): void {
    let bucket = this.#buckets.get(key)
    if (bucket === undefined) this.#buckets.set(key, (bucket = new Map()))
    const count = (bucket.get(value) ?? 0) + by
    if (count === 0) bucket.delete(value)
    else bucket.set(value, count)
    if (bucket.size === 0) this.#buckets.delete(key)
    if (count === 0 || (count === 1 && by === 1)) toggle(touched, key, value)
  }
}

/** A value that came and went within one change has not changed. */
function toggle(touched: Map<string, Set<string>>, key: string, value: string): void {
  const values = touched.get(key) ?? new Set()
  if (!values.delete(value)) values.add(value)
  touched.set(key, values)
}

function byResourceName(a: Resource, b: Resource): number {
  return byNamespaceAndName(named(a), named(b))
}

const named = (r: Resource): { namespace: string; name: string } => ({
  namespace: r.metadata.namespace ?? '',
  name: r.metadata.name,
})
