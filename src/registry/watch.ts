import { setImmediate as nextTurn } from 'node:timers/promises'
import { invalid } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import { Compacted, FutureRevision, type Change, type Revision } from '#store/store.ts'
import { compileFilter, type Filter } from './filter.ts'
import { scopeOf, singleKey, type Shelf } from './list.ts'
import type { WatchEvent, WatchOptions, WatchSink, WatchType } from './registry.ts'
import { expired, parseResourceVersion, refuseFuture } from './resource-version.ts'
import { LazyEvent, SharedChange } from './shared-change.ts'
import type { WatchHub } from './watch-hub.ts'

/** Initial events handed over before others get a turn. */
const SLICE = 500

export interface WatchRequest {
  readonly shelf: Shelf
  readonly hub: WatchHub
  readonly kind: Kind
  readonly options: WatchOptions
  readonly sink: WatchSink
}

/** Ends when closed. Rejects when the watch cannot be served; the first events may come before the promise settles. */
export async function watchResources(request: WatchRequest): Promise<{ close(): void }> {
  const { shelf, hub, kind, options } = request
  checkOptions(options)
  await hub.ready()
  const version = parseResourceVersion(options.resourceVersion)
  if (version !== undefined) refuseFuture(version, shelf.store.revision)
  const filter = compileFilter(kind, options)
  const session = new Session(request, filter, singleKey(kind, filter) ?? scopeOf(kind, filter))
  const fromNow = options.sendInitialEvents === false && !version
  if (fromNow) session.joinAt(shelf.store.revision)
  else if (options.sendInitialEvents === true || !version) session.startWithState()
  else await session.resume(version)
  return session
}

function checkOptions({ resourceVersionMatch: match, sendInitialEvents }: WatchOptions): void {
  const forbidden = match !== undefined && sendInitialEvents === undefined
  if (!forbidden && match !== 'Exact') return
  const message =
    'Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is set, and then must be NotOlderThan'
  throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions', plural: 'listoptions' }, '', [
    { reason: 'FieldValueForbidden', field: 'resourceVersionMatch', message },
  ])
}

class Session {
  readonly #request: WatchRequest
  readonly #filter: Filter
  readonly #scope: string
  #leave: () => void = () => {}
  /** Changes that arrive while earlier ones are still being handed over. */
  #held: SharedChange[] | undefined
  #closed = false

  constructor(request: WatchRequest, filter: Filter, scope: string) {
    this.#request = request
    this.#filter = filter
    this.#scope = scope
  }

  close(): void {
    this.#closed = true
    this.#held = undefined
    this.#leave()
  }

  joinAt(revision: Revision): void {
    this.#join(revision)
    this.#request.sink.caughtUp(revision)
  }

  /** The state is taken and the live changes joined in one turn, so nothing falls between them. */
  startWithState(): void {
    const { store } = this.#request.shelf
    const revision = store.revision
    const entries = [...store.entries(this.#scope)].filter(({ key }) => this.#inScope(key))
    this.#held = []
    this.#join(revision)
    void this.#handState(entries, revision)
  }

  /** Replays what the store still has, then what is recent, then joins: each step begins where the one before ended. */
  async resume(version: Revision): Promise<void> {
    const { shelf, hub } = this.#request
    let after = version
    for (let recent = hub.since(after); ; recent = hub.since(after)) {
      if (recent) {
        const revision = shelf.store.revision
        this.#held = []
        this.#join(revision)
        const missed = recent.filter((change) => change.revision <= revision && this.#inScope(change.key))
        queueMicrotask(() => this.#release(missed, revision))
        return
      }
      after = await this.#replay(after)
    }
  }

  #inScope(key: string): boolean {
    return key === this.#scope || (this.#scope.endsWith('/') && key.startsWith(this.#scope))
  }

  /** @returns the revision up to which everything has been handed over */
  async #replay(after: Revision): Promise<Revision> {
    const { store, cache } = this.#request.shelf
    let reached = store.revision
    const listener = (changes: readonly Change[]): void => {
      for (const change of changes) {
        reached = Math.max(reached, change.revision)
        if (this.#inScope(change.key)) this.#change(new SharedChange(cache, change))
      }
    }
    try {
      const subscription = await store.watch(this.#scope, after, listener)
      subscription.close()
    } catch (error) {
      if (error instanceof Compacted) throw expired(`too old resource version: ${after} (${store.floor})`)
      if (error instanceof FutureRevision) refuseFuture(after, store.revision)
      throw error
    }
    return reached
  }

  #join(after: Revision): void {
    const watcher = { after, changed: (change: SharedChange): void => this.#receive(change) }
    const subscription = this.#request.hub.join(this.#scope, watcher)
    this.#leave = () => subscription.close()
  }

  #receive(change: SharedChange): void {
    if (this.#held) this.#held.push(change)
    else this.#change(change)
  }

  async #handState(entries: Parameters<Shelf['cache']['stored']>[0][], revision: Revision): Promise<void> {
    for (const [i, entry] of entries.entries()) {
      if (i % SLICE === 0) await nextTurn()
      if (this.#closed) return
      const stored = this.#request.shelf.cache.stored(entry)
      if (this.#filter.matches(stored)) this.#send(new LazyEvent('ADDED', stored))
    }
    if (entries.length === 0) await nextTurn()
    this.#release([], revision)
  }

  #release(missed: readonly SharedChange[], revision: Revision): void {
    if (this.#closed) return
    for (const change of missed) this.#change(change)
    if (!this.#closed) this.#request.sink.caughtUp(revision)
    for (const change of this.#held ?? []) this.#change(change)
    this.#held = undefined
  }

  #change(change: SharedChange): void {
    if (this.#closed) return
    const type = this.#typeOf(change)
    if (type) this.#send(change.event(type))
  }

  /** Starting and ceasing to match look like creation and deletion to the watcher. */
  #typeOf({ before, after }: SharedChange): WatchType | undefined {
    const was = before !== undefined && this.#filter.matches(before)
    const is = after !== undefined && this.#filter.matches(after)
    if (is) return was ? 'MODIFIED' : 'ADDED'
    return was ? 'DELETED' : undefined
  }

  #send(event: WatchEvent): void {
    this.#request.sink.event(event)
  }
}
