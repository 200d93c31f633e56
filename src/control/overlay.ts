import { conflict, alreadyExists, invalid, forbidden, notFound } from '#domain/errors.ts'
import { equal } from '#domain/equal.ts'
import { apiVersionOf, type Kind, type User } from '#domain/kind.ts'
import type { Metadata, Named, Resource } from '#domain/object.ts'
import { normalize, validate } from '#domain/structural.ts'
import type { Follower, Preconditions, ResourceChange, ResourceSource, Transaction } from '#source/source.ts'
import { withEnvironment } from './desired.ts'
import { entityAt, entityOf, kindId } from './entity.ts'
import { timeText } from './fold.ts'
import { withReferences } from './simulated-secrets.ts'

interface Options {
  readonly resources: Iterable<Resource>
  readonly kinds: readonly Kind[]
  readonly now: number
}

const PLATFORM: User = { name: 'system:stellwerk', groups: [], platform: true }
/** Versions start beyond any real one, so that a simulated write is always the newer. */
const FIRST_VERSION = 2 ** 50

/**
 * A copy of the world in memory that answers writes the way the server would: defaults, rules of the kind, versions,
 * generations, finalizers, garbage collection. What a simulation does here, nobody else sees.
 */
export class Overlay implements ResourceSource {
  readonly #objects = new Map<string, Resource>()
  /** By the uid of an owner, the objects that (once) referred to it. */
  readonly #dependents = new Map<string, Set<string>>()
  readonly #kinds: ReadonlyMap<string, Kind>
  readonly #now: string
  #version = FIRST_VERSION
  #follower: Follower | undefined

  constructor({ resources, kinds, now }: Options) {
    for (const resource of resources) this.#keep(resource)
    this.#kinds = new Map(kinds.map((kind) => [kindId(kind), kind]))
    this.#now = timeText(now)
  }

  get resources(): Iterable<Resource> {
    return this.#objects.values()
  }

  find(kind: Kind, ref: Named): Resource | undefined {
    return this.#objects.get(entityAt(kind, ref))
  }

  async follow(kinds: readonly Kind[], follower: Follower, signal: AbortSignal): Promise<void> {
    const wanted = new Set(kinds.map(kindId))
    follower.snapshot([...this.#objects.values()].filter((r) => wanted.has(`${r.apiVersion}/${r.kind}`)))
    this.#follower = follower
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  }

  /** Every write takes effect at once: nobody else is here who could come in between. */
  begin(): Transaction {
    return {
      create: (kind, draft) => this.#create(kind, draft),
      update: (kind, resource) => this.#update(kind, resource),
      updateStatus: (kind, resource) => this.#updateStatus(kind, resource),
      delete: (kind, ref, preconditions) => this.#delete(kind, ref, preconditions),
      commit: () => Promise.resolve(undefined),
    }
  }

  async create(kind: Kind, draft: Pick<Resource, 'metadata' | 'spec'>): Promise<any> {
    return this.#create(kind, draft)
  }

  async update(kind: Kind, resource: Resource): Promise<any> {
    return this.#update(kind, resource)
  }

  async updateStatus(kind: Kind, resource: Resource): Promise<any> {
    return this.#updateStatus(kind, resource)
  }

  async delete(kind: Kind, ref: Named, preconditions?: Preconditions): Promise<void> {
    this.#delete(kind, ref, preconditions)
  }

  async readFile(): Promise<undefined> {
    return undefined
  }

  async resolveSecret(): Promise<undefined> {
    return undefined
  }

  #create(kind: Kind, draft: Pick<Resource, 'metadata' | 'spec'>): Resource {
    const { name, namespace = '' } = draft.metadata
    if (this.find(kind, { namespace, name }) !== undefined) throw alreadyExists(kind, name)
    const metadata = {
      ...draft.metadata,
      uid: `simulated-${++this.#version}`,
      generation: 1,
      creationTimestamp: this.#now,
    }
    return this.#store('ADDED', this.#admit(kind, { ...draft, metadata }, undefined))
  }

  #update(kind: Kind, resource: Resource): Resource | undefined {
    const old = this.#current(kind, resource)
    const { labels, annotations, ownerReferences, finalizers } = resource.metadata
    const metadata = { ...old.metadata, labels, annotations, ownerReferences, finalizers }
    const admitted = this.#admit(kind, { metadata, spec: resource.spec, status: old.status }, old)
    const generation = (old.metadata.generation ?? 0) + (equal(admitted.spec, old.spec) ? 0 : 1)
    const next = { ...admitted, metadata: { ...admitted.metadata, generation } }
    if (next.metadata.deletionTimestamp !== undefined && !next.metadata.finalizers?.length) return this.#remove(next)
    return equal({ ...next, metadata: withoutEmpty(next.metadata) }, old) ? old : this.#store('MODIFIED', next)
  }

  #updateStatus(kind: Kind, resource: Resource): Resource {
    const old = this.#current(kind, resource)
    const { object } = normalize(kind, { ...old, status: resource.status })
    return equal(object.status, old.status) ? old : this.#store('MODIFIED', { ...old, status: object.status })
  }

  #delete(kind: Kind, ref: Named, preconditions: Preconditions = {}): Resource | undefined {
    const old = this.find(kind, ref)
    if (old === undefined) throw notFound(kind, ref.name)
    const { uid, resourceVersion } = preconditions
    if ((uid ?? old.metadata.uid) !== old.metadata.uid) throw conflict(kind, ref.name, 'the uid differs')
    if ((resourceVersion ?? old.metadata.resourceVersion) !== old.metadata.resourceVersion) {
      throw conflict(kind, ref.name, 'the object has been modified')
    }
    if (!old.metadata.finalizers?.length) return this.#remove(old)
    return this.#store('MODIFIED', { ...old, metadata: { ...old.metadata, deletionTimestamp: this.#now } })
  }

  #current(kind: Kind, { metadata }: Resource): Resource {
    const old = this.find(kind, { namespace: metadata.namespace ?? '', name: metadata.name })
    if (old === undefined) throw notFound(kind, metadata.name)
    const { resourceVersion } = metadata
    if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
      throw conflict(kind, metadata.name, 'the object has been modified')
    }
    return old
  }

  #admit(kind: Kind, body: Pick<Resource, 'metadata' | 'spec' | 'status'>, old: Resource | undefined): Resource {
    const named = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...body }
    const { object } = normalize(kind, { ...named, spec: withReferences(kind.spec, body.spec) })
    const { name } = body.metadata
    const errors = validate(kind, object)
    if (errors.length > 0) throw invalid(kind, name, errors)
    const operation = old === undefined ? 'create' : 'update'
    const admitted = kind.admit?.({ operation, object, old, user: PLATFORM, now: this.#now }) ?? { object }
    if (admitted.forbidden !== undefined) throw forbidden(kind, name, admitted.forbidden)
    if (admitted.errors !== undefined && admitted.errors.length > 0) throw invalid(kind, name, admitted.errors)
    return withEnvironment(kind, admitted.object)
  }

  #store(type: ResourceChange['type'], resource: Resource): Resource {
    const metadata = { ...withoutEmpty(resource.metadata), resourceVersion: String(++this.#version) }
    const stored = { ...resource, metadata }
    this.#keep(stored)
    this.#follower?.changed([{ type, resource: stored }])
    return stored
  }

  #keep(resource: Resource): void {
    const entity = entityOf(resource)
    this.#objects.set(entity, resource)
    for (const { uid } of resource.metadata.ownerReferences ?? []) {
      const dependents = this.#dependents.get(uid)
      if (dependents === undefined) this.#dependents.set(uid, new Set([entity]))
      else dependents.add(entity)
    }
  }

  #remove(resource: Resource): undefined {
    const gone = { ...resource, metadata: { ...resource.metadata, resourceVersion: String(++this.#version) } }
    this.#objects.delete(entityOf(gone))
    this.#follower?.changed([{ type: 'DELETED', resource: gone }])
    this.#collect(gone)
    return undefined
  }

  /** What refers to no living owner any more goes with the last one. */
  #collect({ metadata: { uid = '' } }: Resource): void {
    const dependents = [...(this.#dependents.get(uid) ?? [])].map((entity) => this.#objects.get(entity))
    this.#dependents.delete(uid)
    for (const object of dependents) {
      if (object?.metadata.ownerReferences?.some((r) => r.uid === uid) !== true) continue
      const others = object.metadata.ownerReferences?.filter((r) => r.uid !== uid) ?? []
      const kind = this.#kinds.get(`${object.apiVersion}/${object.kind}`)
      const { namespace = '', name } = object.metadata
      if (others.length > 0)
        this.#store('MODIFIED', { ...object, metadata: { ...object.metadata, ownerReferences: others } })
      else if (kind !== undefined) this.#delete(kind, { namespace, name })
    }
  }
}

/** What is empty is absent, as the server stores it. */
function withoutEmpty(metadata: Metadata): Metadata {
  const full = (part: object | undefined): boolean => part !== undefined && Object.keys(part).length > 0
  const { labels, annotations, ownerReferences, finalizers, ...others } = metadata
  return {
    ...others,
    ...(full(labels) && { labels }),
    ...(full(annotations) && { annotations }),
    ...(full(ownerReferences) && { ownerReferences }),
    ...(full(finalizers) && { finalizers }),
  }
}
