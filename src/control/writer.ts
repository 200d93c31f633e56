import { isStatus } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import type { Transaction } from '#source/source.ts'
import { entityOf } from './entity.ts'
import type { WriteVerb } from './metrics.ts'

/** The object is not what the cache says: look again when the cache knows better, and tell nobody. */
export class Outdated extends Error {
  override readonly name = 'Outdated'
  readonly entity: string
  readonly version: string | undefined

  constructor(entity: string, version: string | undefined) {
    super(`${entity} is no longer at version ${version ?? 'none'}`)
    this.entity = entity
    this.version = version
  }
}

export interface Written {
  readonly verb: WriteVerb
  readonly kind: Kind
  readonly entity: string
  /** The version the write made; for a deletion the one that was deleted. */
  readonly version: string | undefined
}

/** Takes a write in as if it were stored already. Undefined: the object is gone. */
export type Absorb = (entity: string, resource: Resource | undefined) => void

interface Options {
  readonly transaction: Transaction
  readonly absorb: Absorb
  /** Whether somebody else was faster with this object a moment ago, and the news of it are not here yet. */
  readonly isContended: (entity: string) => boolean
}

/** The only way the engine writes: into a transaction, and into its own cache so that the next run builds on it. */
export class Writer {
  readonly #options: Options
  /** What is stored per object, however often it was written. */
  readonly #verbs = new Map<string, { readonly kind: Kind; readonly verb: WriteVerb }>()

  constructor(options: Options) {
    this.#options = options
  }

  get writes(): Iterable<{ readonly kind: Kind; readonly verb: WriteVerb }> {
    return this.#verbs.values()
  }

  has(entity: string): boolean {
    return this.#verbs.has(entity)
  }

  /** Objects to be stored. */
  get size(): number {
    return this.#verbs.size
  }

  create(kind: Kind, wanted: Resource, run: Written[]): Resource {
    const { metadata, spec } = wanted
    return this.#write(kind, wanted, { verb: 'create', run }, (to) => to.create(kind, { metadata, spec }))!
  }

  update(kind: Kind, wanted: Resource, run: Written[]): Resource | undefined {
    return this.#write(kind, wanted, { verb: 'update', run }, (to) => to.update(kind, wanted))
  }

  updateStatus(kind: Kind, wanted: Resource, run: Written[]): Resource | undefined {
    return this.#write(kind, wanted, { verb: 'updateStatus', run }, (to) => to.updateStatus(kind, wanted))
  }

  /** Deletes exactly this state of it: should it have changed hands meanwhile, it stays. */
  delete(kind: Kind, resource: Resource, run: Written[]): void {
    const { uid, resourceVersion, name, namespace = '' } = resource.metadata
    const preconditions = { uid, resourceVersion }
    this.#write(kind, resource, { verb: 'delete', run }, (to) => to.delete(kind, { namespace, name }, preconditions))
  }

  commit(): ReturnType<Transaction['commit']> {
    return this.#options.transaction.commit()
  }

  #write(
    kind: Kind,
    resource: Resource,
    { verb, run }: { readonly verb: WriteVerb; readonly run: Written[] },
    write: (to: Transaction) => Resource | undefined,
  ): Resource | undefined {
    const entity = entityOf(resource)
    const { resourceVersion } = resource.metadata
    if (this.#options.isContended(entity)) throw new Outdated(entity, resourceVersion)
    const answer = this.#attempt(verb, resource, write)
    if (verb !== 'delete' && answer?.metadata.resourceVersion === resourceVersion) return answer
    const version = verb === 'delete' ? resourceVersion : answer?.metadata.resourceVersion
    run.push({ verb, kind, entity, version })
    this.#count(entity, kind, verb)
    this.#options.absorb(entity, answer)
    return answer
  }

  #attempt(
    verb: WriteVerb,
    resource: Resource,
    write: (to: Transaction) => Resource | undefined,
  ): Resource | undefined {
    try {
      return write(this.#options.transaction)
    } catch (error) {
      if (isOutdated(verb, error)) throw new Outdated(entityOf(resource), resource.metadata.resourceVersion)
      throw error
    }
  }

  /** A create with its first status is one create; whatever changes more than the status is an update. */
  #count(entity: string, kind: Kind, verb: WriteVerb): void {
    const before = this.#verbs.get(entity)?.verb
    if (before === 'create' && verb === 'delete') this.#verbs.delete(entity)
    else if (before === undefined || verb === 'delete' || (before === 'updateStatus' && verb === 'update'))
      this.#verbs.set(entity, { kind, verb })
  }
}

/** A create that finds no namespace is a failure; anything else that is not there any more is just news. */
function isOutdated(verb: WriteVerb, error: unknown): boolean {
  return (
    isStatus(error, 'Conflict') ||
    isStatus(error, 'AlreadyExists') ||
    (verb !== 'create' && isStatus(error, 'NotFound'))
  )
}
