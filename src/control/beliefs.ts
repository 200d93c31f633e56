import type { Resource } from '#domain/object.ts'
import type { Clock } from '#lib/clock.ts'
import type { ResourceChange } from '#source/source.ts'
import type { Effect } from './cache.ts'
import { entityOf } from './entity.ts'
import { ownerEntity } from './ownership.ts'
import type { Tracker } from './tracker.ts'
import type { Turn } from './turn.ts'

/** How long an object is left alone that somebody else was faster with, should nothing be heard of it. */
const CONTENDED_MS = 900

interface Options {
  readonly tracker: Tracker
  readonly clock: Clock
}

/** What the news of an object say: what was stored before, and what is now. */
export interface Heard {
  readonly before: Resource | undefined
  readonly after: Resource | undefined
}

/**
 * The cache holds what is stored, and on top of it what the turn under way has written: believed to be stored soon. This
 * knows which is which.
 */
export class Beliefs {
  readonly #options: Options
  /** What was stored before our last write of it, until the news of that write are here. */
  readonly #unconfirmed = new Map<string, Resource | undefined>()
  readonly #contended = new Map<string, number>()

  constructor(options: Options) {
    this.#options = options
  }

  find(entity: string): Resource | undefined {
    return this.#options.tracker.cache.get(entity)
  }

  /** Who controls an object. */
  ownerOf(entity: string): string | undefined {
    const resource = this.find(entity)
    return resource && ownerEntity(resource, this.#options.tracker.cache)
  }

  /** Takes a state of an object in and tells its readers. Undefined: nothing was known, and nothing is. */
  take(entity: string, after: Resource | undefined): Effect | undefined {
    const { tracker } = this.#options
    if (after !== undefined) return tracker.put(after)
    const known = this.find(entity)
    return known && tracker.remove(known)
  }

  hear({ type, resource }: ResourceChange): Heard {
    const entity = entityOf(resource)
    this.#contended.delete(entity)
    const before = this.#unconfirmed.has(entity) ? this.#unconfirmed.get(entity) : this.find(entity)
    this.#unconfirmed.delete(entity)
    return { before, after: type === 'DELETED' ? undefined : resource }
  }

  /** The turn is stored: the news of it are on their way. */
  stored({ before, writer }: Turn): void {
    for (const [entity, resource] of before)
      if (writer.has(entity) && !this.#unconfirmed.has(entity)) this.#unconfirmed.set(entity, resource)
  }

  /** Somebody else was faster with this object, and the news of it are not here yet. */
  contend(entity: string): void {
    this.#contended.set(entity, this.#options.clock.now() + CONTENDED_MS)
  }

  isContended(entity: string): boolean {
    const until = this.#contended.get(entity)
    return until !== undefined && this.#options.clock.now() < until
  }
}
