import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import type { Clock } from '#lib/clock.ts'
import type { Follower, ResourceChange, ResourceSource } from '#source/source.ts'
import type { ApiConnection } from './api-connection.ts'
import { inform } from './informer.ts'

export interface FollowOptions {
  readonly clock?: Clock | undefined
  readonly troubled?: ((kind: Kind, error: unknown) => void) | undefined
}

/**
 * The following side of a ResourceSource over HTTP. Changes come in revision order within a kind; between kinds, which
 * are watched one by one, the order is that of their arrival.
 */
export function followOver(connection: ApiConnection, options: FollowOptions = {}): ResourceSource['follow'] {
  return async (kinds, follower, signal) => {
    const world = new World(kinds, follower)
    await Promise.all(
      kinds.map((kind) =>
        inform({
          connection,
          kind,
          signal,
          clock: options.clock,
          replaced: (resources) => world.replace(kind, resources),
          changed: (change) => world.change(kind, change),
          troubled: (error) => options.troubled?.(kind, error),
        }),
      ),
    )
  }
}

/** What every kind looks like by now: a snapshot is of all of them, and one kind may have to start over. */
class World {
  readonly #kinds: ReadonlyMap<Kind, Map<string, Resource>>
  readonly #missing: Set<Kind>
  readonly #follower: Follower

  constructor(kinds: readonly Kind[], follower: Follower) {
    this.#kinds = new Map(kinds.map((kind) => [kind, new Map()]))
    this.#missing = new Set(kinds)
    this.#follower = follower
  }

  replace(kind: Kind, resources: readonly Resource[]): void {
    const known = this.#kinds.get(kind)
    known?.clear()
    for (const resource of resources) known?.set(keyOf(resource), resource)
    this.#missing.delete(kind)
    if (this.#missing.size > 0) return
    this.#follower.snapshot([...this.#kinds.values()].flatMap((all) => [...all.values()]))
  }

  change(kind: Kind, change: ResourceChange): void {
    const known = this.#kinds.get(kind)
    if (change.type === 'DELETED') known?.delete(keyOf(change.resource))
    else known?.set(keyOf(change.resource), change.resource)
    if (this.#missing.size === 0) this.#follower.changed([change])
  }
}

const keyOf = ({ metadata }: Resource): string => `${metadata.namespace ?? ''}/${metadata.name}`
