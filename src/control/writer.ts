import { isStatus } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import type { ResourceSource } from '#source/source.ts'
import { entityOf } from './facets.ts'
import type { ControlMetrics, WriteVerb } from './metrics.ts'

/** The engine stops: whatever was about to be written is not. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

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

interface Options {
  readonly source: ResourceSource
  readonly metrics: ControlMetrics
  readonly signal: AbortSignal
  /** Writes under way at the same time, over all runs. */
  readonly limit: number
}

/** The only way the engine writes: never after a stop, never too many at once, every write accounted to its run. */
export class Writer {
  readonly #options: Options
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(options: Options) {
    this.#options = options
    this.#free = options.limit
  }

  create(kind: Kind, wanted: Resource, run: Written[]): Promise<Resource> {
    const { metadata, spec } = wanted
    return this.#write(kind, wanted, { verb: 'create', run }, (source) => source.create(kind, { metadata, spec }))
  }

  update(kind: Kind, wanted: Resource, run: Written[]): Promise<Resource> {
    return this.#write(kind, wanted, { verb: 'update', run }, (source) => source.update(kind, wanted))
  }

  updateStatus(kind: Kind, wanted: Resource, run: Written[]): Promise<Resource> {
    return this.#write(kind, wanted, { verb: 'updateStatus', run }, (source) => source.updateStatus(kind, wanted))
  }

  /** Deletes exactly this state of it: should it have changed hands meanwhile, it stays. */
  async delete(kind: Kind, resource: Resource, run: Written[]): Promise<void> {
    const { uid, resourceVersion, name, namespace = '' } = resource.metadata
    await this.#write(kind, resource, { verb: 'delete', run }, async (source) => {
      await source.delete(kind, { namespace, name }, { uid, resourceVersion })
      return resource
    })
  }

  async #write(
    kind: Kind,
    resource: Resource,
    { verb, run }: { readonly verb: WriteVerb; readonly run: Written[] },
    write: (source: ResourceSource) => Promise<Resource>,
  ): Promise<Resource> {
    await this.#acquire()
    try {
      if (this.#options.signal.aborted) throw new Stopped()
      const answer = await write(this.#options.source)
      run.push({ verb, kind, entity: entityOf(resource), version: answer.metadata.resourceVersion })
      this.#options.metrics.write(kind.kind, verb)
      return answer
    } catch (error) {
      if (isOutdated(verb, error)) throw new Outdated(entityOf(resource), resource.metadata.resourceVersion)
      throw error
    } finally {
      this.#release()
    }
  }

  async #acquire(): Promise<void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
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
