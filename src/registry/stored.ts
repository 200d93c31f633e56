import type { Resource } from '#domain/object.ts'
import { decodeTrusted } from '#lib/json.ts'
import type { Entry, Revision } from '#store/store.ts'
import type { Stored } from './registry.ts'

/** Source bytes of the parsed resources kept at hand; parsed they take about four times as much. */
const CACHE_BYTES = 4 << 20

interface Parsed {
  readonly revision: Revision
  readonly resource: Resource
}

/**
 * Parsed resources, those used lately, one version per key. Handed out shared: nobody changes them.
 *
 * Two generations instead of an order of use: what is asked for moves to the young one, and when that is full the old
 * one is forgotten as a whole. Nothing is ever deleted one by one, which a Map of thousands is slow at.
 */
export class ResourceCache {
  #young = new Map<string, Parsed>()
  #old = new Map<string, Parsed>()
  #youngBytes = 0

  stored(entry: Entry): Stored {
    return new LazyStored(this, entry)
  }

  /** Takes the parsed form from whoever wrote it. */
  keep({ key, value, revision }: Entry, resource: Resource): void {
    this.#keep(key, { revision, resource }, value.length)
  }

  resource({ key, value, revision }: Entry): Resource {
    const young = this.#young.get(key)
    if (young?.revision === revision) return young.resource
    const old = this.#old.get(key)
    const resource = old?.revision === revision ? old.resource : (decodeTrusted(value) as unknown as Resource)
    // An older version is wanted once, by whoever compares it; the newest one is wanted again.
    if (young === undefined || young.revision < revision) this.#keep(key, { revision, resource }, value.length)
    return resource
  }

  #keep(key: string, parsed: Parsed, size: number): void {
    if (this.#youngBytes > CACHE_BYTES / 2) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngBytes = 0
    }
    this.#young.set(key, parsed)
    this.#youngBytes += size
  }
}

class LazyStored implements Stored {
  readonly #cache: ResourceCache
  readonly #entry: Entry
  #resource: Resource | undefined

  constructor(cache: ResourceCache, entry: Entry) {
    this.#cache = cache
    this.#entry = entry
  }

  get bytes(): Uint8Array {
    return this.#entry.value
  }

  get revision(): Revision {
    return this.#entry.revision
  }

  get resource(): Resource {
    this.#resource ??= this.#cache.resource(this.#entry)
    return this.#resource
  }
}
