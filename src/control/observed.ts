import type { Resource } from '#domain/object.ts'
import { entityOf, kindIdOf } from './facets.ts'

interface Wait {
  readonly version: number
  readonly resolve: () => void
}

/**
 * How far the cache has come. Changes of one kind arrive in the order of their versions, so having seen one version
 * means having seen all before it. An object is not planned again before its own writes are in the cache.
 */
export class Observed {
  readonly #newest = new Map<string, number>()
  readonly #waits = new Map<string, Wait[]>()
  readonly #newer = new Map<string, Set<() => void>>()

  saw(resource: Resource): void {
    const kind = kindIdOf(resource)
    const version = Number(resource.metadata.resourceVersion)
    if (version > (this.#newest.get(kind) ?? 0)) this.#newest.set(kind, version)
    this.#wake(kind, (wait) => wait.version <= version)
    const entity = entityOf(resource)
    const waiting = this.#newer.get(entity)
    this.#newer.delete(entity)
    waiting?.forEach((call) => call())
  }

  /** After starting over: whatever was written before is in the snapshot. */
  sawAll(): void {
    for (const kind of this.#waits.keys()) this.#wake(kind, () => true)
    for (const waiting of this.#newer.values()) waiting.forEach((call) => call())
    this.#newer.clear()
  }

  /** Resolves when the cache has seen this version of this kind. */
  until(kind: string, version: string | undefined): Promise<void> | undefined {
    const wanted = Number(version)
    if (!(wanted > (this.#newest.get(kind) ?? 0))) return undefined
    return new Promise((resolve) => {
      const waits = this.#waits.get(kind) ?? []
      waits.push({ version: wanted, resolve })
      this.#waits.set(kind, waits)
    })
  }

  /** Calls once when anything is heard of the object. */
  onNews(entity: string, call: () => void): void {
    const waiting = this.#newer.get(entity) ?? new Set()
    waiting.add(call)
    this.#newer.set(entity, waiting)
  }

  #wake(kind: string, isOver: (wait: Wait) => boolean): void {
    const waits = this.#waits.get(kind)
    if (waits === undefined) return
    const rest = waits.filter((wait) => {
      if (!isOver(wait)) return true
      wait.resolve()
      return false
    })
    if (rest.length === 0) this.#waits.delete(kind)
    else this.#waits.set(kind, rest)
  }
}
