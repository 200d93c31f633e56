import type { Resource } from '#domain/object.ts'
import { entityOf } from './entity.ts'

/** Who waits for news of an object. */
export class Observed {
  readonly #waiting = new Map<string, Set<() => void>>()

  saw(resource: Resource): void {
    const entity = entityOf(resource)
    const waiting = this.#waiting.get(entity)
    if (waiting === undefined) return
    this.#waiting.delete(entity)
    waiting.forEach((call) => call())
  }

  /** After starting over: whatever was written before is in the snapshot. */
  sawAll(): void {
    for (const waiting of this.#waiting.values()) waiting.forEach((call) => call())
    this.#waiting.clear()
  }

  /** Calls once when anything is heard of the object. */
  onNews(entity: string, call: () => void): void {
    const waiting = this.#waiting.get(entity) ?? new Set()
    waiting.add(call)
    this.#waiting.set(entity, waiting)
  }
}
