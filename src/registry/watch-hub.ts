import { RESOURCE_ROOT } from './keys.ts'
import type { Shelf } from './list.ts'
import { SharedChange } from './shared-change.ts'
import type { Change, Revision, Subscription } from '#store/store.ts'

/** One watcher: `after` is the revision up to which it has been served otherwise. */
export interface Watcher {
  readonly after: Revision
  changed(change: SharedChange): void
}

/** Hears every transaction as a whole. */
export type Follower = (changes: readonly SharedChange[]) => void

/** Transactions kept so that a watcher which lags a little is served without the store's history. */
const RECENT = 1024

/**
 * The store's changes, turned into shared ones once and handed to those concerned: a change costs the watchers of its
 * kind, of its namespace and of its name, and nobody else.
 */
export class WatchHub {
  readonly #shelf: Shelf
  readonly #scopes = new Map<string, Set<Watcher>>()
  readonly #followers = new Set<Follower>()
  #recent: (readonly SharedChange[])[] = []
  /** Every change after this revision is among the recent ones. */
  #recentAfter: Revision
  #subscription: Promise<Subscription>

  constructor(shelf: Shelf) {
    this.#shelf = shelf
    this.#recentAfter = shelf.store.revision
    this.#subscription = shelf.store.watch(RESOURCE_ROOT, shelf.store.revision, (changes) => this.#publish(changes))
    // Whoever waits for readiness hears of it; nobody may be waiting.
    this.#subscription.catch(() => {})
  }

  async ready(): Promise<void> {
    await this.#subscription
  }

  /** `scope`: a kind's prefix, a namespace's prefix or a whole key. Only live changes; see `since` for earlier ones. */
  join(scope: string, watcher: Watcher): Subscription {
    const group = this.#scopes.get(scope) ?? new Set()
    this.#scopes.set(scope, group.add(watcher))
    return {
      close: () => {
        group.delete(watcher)
        if (group.size === 0 && this.#scopes.get(scope) === group) this.#scopes.delete(scope)
      },
    }
  }

  follow(follower: Follower): Subscription {
    this.#followers.add(follower)
    return { close: () => void this.#followers.delete(follower) }
  }

  /** The changes after a revision in order, or undefined when they go back further than the recent ones. */
  since(after: Revision): readonly SharedChange[] | undefined {
    if (after < this.#recentAfter) return undefined
    const first = this.#recent.findLastIndex((changes) => changes[0]!.revision <= after) + 1
    return this.#recent.slice(first).flat()
  }

  async close(): Promise<void> {
    this.#scopes.clear()
    this.#followers.clear()
    const subscription = await this.#subscription.catch(() => undefined)
    subscription?.close()
  }

  #publish(changes: readonly Change[]): void {
    const shared = changes.map((change) => new SharedChange(this.#shelf.cache, change))
    this.#remember(shared)
    for (const change of shared) {
      this.#hand(change.key, change)
      this.#hand(change.key.slice(0, change.key.length - change.at.name.length), change)
      this.#hand(change.at.kind, change)
    }
    for (const follower of this.#followers) follower(shared)
  }

  #hand(scope: string, change: SharedChange): void {
    const group = this.#scopes.get(scope)
    if (!group) return
    for (const watcher of group) if (watcher.after < change.revision) watcher.changed(change)
  }

  #remember(changes: readonly SharedChange[]): void {
    this.#recent.push(changes)
    if (this.#recent.length < 2 * RECENT) return
    const dropped = this.#recent.length - RECENT
    this.#recentAfter = this.#recent[dropped - 1]![0]!.revision
    this.#recent = this.#recent.slice(dropped)
  }
}
