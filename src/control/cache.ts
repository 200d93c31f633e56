import { byNamespaceAndName, compareText, type Resource } from '#domain/object.ts'
import type { Aggregate, Index } from '#domain/plan/world.ts'
import { entityOf, kindId, kindIdOf } from './entity.ts'
import { changedFacets } from './facets.ts'

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

interface OfKind {
  readonly objects: Map<string, Resource>
  readonly tables: (IndexTable | AggregateTable)[]
}

/** All followed resources. Indexes are built when first asked for and kept current from then on. */
export class Cache {
  readonly #objects = new Map<string, Resource>()
  readonly #kinds = new Map<string, OfKind>()
  readonly #indexes = new Map<string, IndexTable | AggregateTable>()

  /** `entity`: see entity.ts */
  get(entity: string): Resource | undefined {
    return this.#objects.get(entity)
  }

  ofKind(kind: string): Iterable<Resource> {
    return this.#kinds.get(kind)?.objects.values() ?? []
  }

  all(): Iterable<Resource> {
    return this.#objects.values()
  }

  /** By namespace and name. Only until the next change. */
  bucket(index: Index<any, any>, key: string): readonly Resource[] {
    return (this.#table(index, () => new IndexTable(index, this.#objects)) as IndexTable).list(key)
  }

  values(aggregate: Aggregate, key: string): readonly string[] {
    return (this.#table(aggregate, () => new AggregateTable(aggregate)) as AggregateTable).values(key)
  }

  put(entity: string, after: Resource): Effect {
    const before = this.#objects.get(entity)
    const { objects, tables } = this.#kind(kindIdOf(after))
    this.#objects.set(entity, after)
    objects.set(entity, after)
    if (isSame(before, after)) return { before, after, facets: 0, buckets: [] }
    return effectOf(tables, before, after)
  }

  remove(entity: string): Effect | undefined {
    const before = this.#objects.get(entity)
    if (before === undefined) return undefined
    const { objects, tables } = this.#kind(kindIdOf(before))
    this.#objects.delete(entity)
    objects.delete(entity)
    return effectOf(tables, before, undefined)
  }

  #kind(kind: string): OfKind {
    let ofKind = this.#kinds.get(kind)
    if (ofKind === undefined) this.#kinds.set(kind, (ofKind = { objects: new Map(), tables: [] }))
    return ofKind
  }

  #table(declared: Index<any, any> | Aggregate, make: () => IndexTable | AggregateTable): IndexTable | AggregateTable {
    const known = this.#indexes.get(declared.name)
    if (known?.declared === declared) return known
    if (known !== undefined) throw new Error(`two indexes are called "${declared.name}": rename one of them`)
    const table = make()
    this.#indexes.set(declared.name, table)
    const { objects, tables } = this.#kind(kindId(declared.kind))
    tables.push(table)
    for (const resource of objects.values()) table.change(undefined, resource, [])
    return table
  }
}

function effectOf(
  tables: readonly (IndexTable | AggregateTable)[],
  before: Resource | undefined,
  after: Resource | undefined,
): Effect {
  const buckets: string[] = []
  for (const table of tables) table.change(before, after, buckets)
  return { before, after, facets: changedFacets(before, after), buckets }
}

/** The news of what was written here bring the very same parts under another version. */
function isSame(before: Resource | undefined, after: Resource): boolean {
  if (before === undefined || before.spec !== after.spec || before.status !== after.status) return false
  const [a, b] = [before.metadata, after.metadata]
  return (
    a.uid === b.uid &&
    a.generation === b.generation &&
    a.labels === b.labels &&
    a.annotations === b.annotations &&
    a.ownerReferences === b.ownerReferences &&
    a.deletionTimestamp === b.deletionTimestamp
  )
}

interface Bucket {
  readonly entities: Set<string>
  /** By namespace and name. */
  sorted: readonly string[] | undefined
}

const NONE: readonly string[] = []

/** Which objects are in which bucket; what they are like is the cache's to say. */
class IndexTable {
  readonly declared: Index<any, any>
  readonly #objects: ReadonlyMap<string, Resource>
  readonly #buckets = new Map<string, Bucket>()

  constructor(index: Index<any, any>, objects: ReadonlyMap<string, Resource>) {
    this.declared = index
    this.#objects = objects
  }

  list(key: string): readonly Resource[] {
    const bucket = this.#buckets.get(key)
    if (bucket === undefined) return []
    bucket.sorted ??= this.#sorted(bucket)
    return bucket.sorted.map((entity) => this.#objects.get(entity)!)
  }

  change(before: Resource | undefined, after: Resource | undefined, changed: string[]): void {
    const entity = entityOf((after ?? before)!)
    const old = before === undefined ? NONE : this.declared.keys(before)
    const now = after === undefined ? NONE : this.declared.keys(after)
    const sameObject = before?.metadata.uid === after?.metadata.uid
    for (const key of old) {
      if (now.includes(key)) continue
      this.#remove(key, entity)
      changed.push(bucketKey(this.declared.name, key))
    }
    for (const key of now) {
      if (sameObject && old.includes(key)) continue
      this.#add(key, entity)
      changed.push(bucketKey(this.declared.name, key))
    }
  }

  #sorted({ entities }: Bucket): readonly string[] {
    if (entities.size === 1) return [...entities]
    return Array.from(entities, (entity) => this.#objects.get(entity)!)
      .toSorted(byResourceName)
      .map(entityOf)
  }

  #remove(key: string, entity: string): void {
    const bucket = this.#buckets.get(key)
    if (bucket?.entities.delete(entity) !== true) return
    bucket.sorted = undefined
    if (bucket.entities.size === 0) this.#buckets.delete(key)
  }

  #add(key: string, entity: string): void {
    let bucket = this.#buckets.get(key)
    if (bucket === undefined) this.#buckets.set(key, (bucket = { entities: new Set(), sorted: undefined }))
    if (bucket.entities.has(entity)) return
    bucket.entities.add(entity)
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
