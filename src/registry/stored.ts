import type { Resource } from '#domain/object.ts'
import { decodeTrusted } from '#lib/json.ts'
import type { Entry, Revision } from '#store/store.ts'
import type { Stored } from './registry.ts'

/** Source bytes of the parsed resources kept at hand; parsed they take about four times as much. */
const CACHE_BYTES = 4 << 20

/** Parsed resources, the most recently used ones, one version per key. Handed out shared: nobody changes them. */
export class ResourceCache {
  readonly #entries = new Map<
    string,
    { readonly revision: Revision; readonly resource: Resource; readonly size: number }
  >()
  #bytes = 0

  stored(entry: Entry): Stored {
    return new LazyStored(this, entry)
  }

  resource({ key, value, revision }: Entry): Resource {
    const known = this.#entries.get(key)
    if (known?.revision === revision) return known.resource
    const resource = decodeTrusted(value) as unknown as Resource
    // An older version is wanted once, by whoever compares it; the newest one is wanted again.
    if (known === undefined || known.revision < revision) this.keep({ key, value, revision }, resource)
    return resource
  }

  /** `resource` must be what parsing the entry would give. */
  keep({ key, value, revision }: Entry, resource: Resource): void {
    this.forget(key)
    this.#entries.set(key, { revision, resource, size: value.length })
    this.#bytes += value.length
    for (const [oldest, { size }] of this.#entries) {
      if (this.#bytes <= CACHE_BYTES) return
      this.#entries.delete(oldest)
      this.#bytes -= size
    }
  }

  forget(key: string): void {
    const known = this.#entries.get(key)
    if (!known) return
    this.#entries.delete(key)
    this.#bytes -= known.size
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
