import type { LoggedTransaction } from './recent-changes.ts'
import type { Change, Listener, Revision, Subscription } from './store.ts'

interface Watcher {
  readonly listener: Listener
  /** The revision up to which the listener has been served, so that one that joins during a publication gets nothing twice. */
  readonly after: Revision
}

/** The live watches, grouped by prefix: a transaction is filtered once per prefix, not once per watcher. */
export class Watchers {
  readonly #byPrefix = new Map<string, Set<Watcher>>()

  get none(): boolean {
    return this.#byPrefix.size === 0
  }

  add(prefix: string, after: Revision, listener: Listener): Subscription {
    const watcher: Watcher = { listener, after }
    const group = this.#byPrefix.get(prefix) ?? new Set()
    this.#byPrefix.set(prefix, group.add(watcher))
    return {
      close: () => {
        group.delete(watcher)
        if (group.size === 0 && this.#byPrefix.get(prefix) === group) this.#byPrefix.delete(prefix)
      },
    }
  }

  publish(transaction: LoggedTransaction): void {
    for (const [prefix, group] of this.#byPrefix) {
      const changes = changesUnder(prefix, transaction)
      if (changes.length === 0) continue
      for (const { listener, after } of group) if (after < transaction.revision) hand(listener, changes)
    }
  }

  clear(): void {
    for (const group of this.#byPrefix.values()) group.clear()
    this.#byPrefix.clear()
  }
}

export function changesUnder(prefix: string, { changes }: LoggedTransaction): readonly Change[] {
  if (changes.length === 1) return changes[0]!.key.startsWith(prefix) ? changes : []
  return changes.filter(({ key }) => key.startsWith(prefix))
}

/** A listener that throws breaks its contract; it must not keep the others from being served, nor go unnoticed. */
export function hand(listener: Listener, changes: readonly Change[]): void {
  try {
    listener(changes)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
