import type { Journal, PlannedChange, PlannedWrite, Trim } from './journal.ts'
import { countUnder, listPage, noteUndo, walk } from './list-page.ts'
import type { Undo } from './list-page.ts'
import type { OrderedKeys } from './ordered-keys.ts'
import { logged, RecentChanges } from './recent-changes.ts'
import type { Limits, LoggedTransaction } from './recent-changes.ts'
import { VersionSnapshot } from './snapshot.ts'
import { Speculation } from './speculation.ts'
import type { Batch, Decided, Request } from './speculation.ts'
import { Compacted, FutureRevision, StoreUnavailable } from './store.ts'
import type {
  Entry,
  Listener,
  ListOptions,
  Op,
  Outcome,
  Page,
  Revision,
  Snapshot,
  Store,
  Subscription,
} from './store.ts'
import { VersionEntry } from './value-slabs.ts'
import type { ValueSlabs, Version } from './value-slabs.ts'
import { changesUnder, hand, Watchers } from './watchers.ts'

/** How much of the past is kept: whichever is exceeded first is forgotten. */
export interface HistoryWindow {
  readonly revisions: number
  readonly ageMs: number
}

export interface LogStoreParts {
  readonly journal: Journal
  readonly history: HistoryWindow
  /** How much of the newest history stays in memory. */
  readonly recent: Limits
  /** Starts a batch that nothing else is holding up, once the writes of this turn have gathered. */
  readonly schedule: (start: () => void) => void
  readonly current: OrderedKeys<Version>
  readonly slabs: ValueSlabs
  readonly revision: Revision
  readonly floor: Revision
}

/** History is trimmed when it exceeds the window by this share, so that trimming comes in steps worth a commit. */
const TRIM_SLACK = 0.01
const TRIM_INTERVAL_MS = 60_000

/** The store over a journal: decides, answers, keeps the current state in memory and serves watches. */
export class LogStore implements Store {
  readonly #parts: LogStoreParts
  readonly #speculation: Speculation
  readonly #recent: RecentChanges
  readonly #watchers = new Watchers()
  readonly #timer: NodeJS.Timeout | undefined
  #revision: Revision
  #floor: Revision
  /** The newest revision ever given to a transaction, durable or not; never given again. */
  #issued: Revision
  #calls = 0
  #gathering: Batch = { items: [] }
  #underWay: Batch | undefined
  #trimming = false
  #closing: Promise<void> | undefined
  #idle: (() => void) | undefined

  constructor(parts: LogStoreParts) {
    this.#parts = parts
    this.#speculation = new Speculation(parts.current, parts.slabs)
    this.#recent = new RecentChanges(parts.revision, parts.recent, parts.slabs)
    this.#revision = parts.revision
    this.#issued = parts.revision
    this.#floor = parts.floor
    // A store that forgets nothing by age needs no clock, which would keep it alive for ever.
    const { ageMs } = parts.history
    if (ageMs < Infinity)
      this.#timer = setInterval(() => this.#trimHistory(), Math.min(TRIM_INTERVAL_MS, ageMs)).unref()
  }

  get revision(): Revision {
    return this.#revision
  }

  get floor(): Revision {
    return this.#floor
  }

  get(key: string): Entry | undefined {
    const version = this.#parts.current.get(key)
    return version && this.#speculation.entry(version)
  }

  *entries(prefix: string): Generator<Entry> {
    for (const version of walk(this.#parts.current, prefix)) yield this.#speculation.entry(version)
  }

  snapshot(prefix: string): Snapshot {
    this.#refuseOutside(this.#revision)
    return new VersionSnapshot(walk(this.#parts.current, prefix), this.#revision)
  }

  count(prefix: string): number {
    return countUnder(this.#parts.current, prefix)
  }

  async list(prefix: string, options: ListOptions = {}): Promise<Page> {
    const at = options.at ?? this.#revision
    this.#refuseOutside(at)
    const undo: Undo = new Map()
    const entry = (version: Version) => new VersionEntry(version)
    return this.#past(
      { after: at, prefix },
      (transaction) => noteUndo(undo, prefix, transaction),
      () => listPage({ current: this.#parts.current, entry, undo, revision: at }, prefix, options),
    )
  }

  async watch(prefix: string, after: Revision, listener: Listener): Promise<Subscription> {
    this.#refuseClosed()
    this.#refuseOutside(after)
    const replay = (transaction: LoggedTransaction) => {
      const changes = changesUnder(prefix, transaction)
      if (changes.length > 0) hand(listener, changes)
    }
    return this.#past({ after, prefix }, replay, () => this.#watchers.add(prefix, this.#revision, listener))
  }

  transact(ops: readonly Op[]): Promise<Outcome> {
    return this.transactAll([ops])
  }

  transactAll(transactions: readonly (readonly Op[])[]): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#refuseClosed()
      this.#accept({ transactions, resolve, reject, order: ++this.#calls })
    })
  }

  async compact(revision: Revision): Promise<void> {
    if (!(revision <= this.#revision)) throw futureRevision(revision, this.#revision)
    while (this.#floor < revision) {
      const { done } = await this.#trimStep({ until: revision, olderThan: 0 })
      if (done) return
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#drain()
    return this.#closing
  }

  async #drain(): Promise<void> {
    clearInterval(this.#timer)
    if (this.#underWay || this.#gathering.items.length > 0) {
      await new Promise<void>((resolve) => (this.#idle = resolve))
    }
    this.#watchers.clear()
    await this.#parts.journal.close()
  }

  #refuseClosed(): void {
    if (this.#closing) throw new StoreUnavailable('the store is closed')
  }

  #refuseOutside(revision: Revision): void {
    if (!(revision <= this.#revision)) throw futureRevision(revision, this.#revision)
    if (revision < this.#floor) throw compacted(revision, this.#floor)
  }

  /**
   * Visits every transaction after `after` that touches a key under `prefix` (and perhaps others) up to the newest durable one and then, in the same turn and therefore without
   * a gap, calls `finish`.
   */
  async #past<T>(
    { after, prefix }: { readonly after: Revision; readonly prefix: string },
    visit: (transaction: LoggedTransaction) => void,
    finish: () => T,
  ): Promise<T> {
    let cursor = after
    while (cursor < this.#recent.start) {
      const { transactions, complete } = await this.#parts.journal.read(cursor, this.#recent.start, prefix)
      for (const transaction of transactions) visit(transaction)
      cursor = complete
    }
    for (const write of this.#recent.since(cursor)) visit(logged(write))
    return finish()
  }

  #accept(request: Request): void {
    try {
      const decision = this.#speculation.decide(request.transactions, this.#issued, this.#gathering)
      const decided: Decided = { request, ...decision }
      const newest = decision.writes.at(-1)
      if (!newest) {
        if (decision.rests) decision.rests.items.push(decided)
        else this.#answer(decided)
        return
      }
      this.#issued = newest.revision
      this.#speculation.add(decision.writes, this.#gathering)
      this.#gathering.items.push(decided)
    } catch (error) {
      request.reject(error)
      return
    }
    if (!this.#underWay && this.#gathering.items.length === 1) this.#parts.schedule(() => this.#startBatch())
  }

  #startBatch(): void {
    if (this.#underWay || this.#gathering.items.length === 0) return
    const batch = this.#gathering
    this.#gathering = { items: [] }
    this.#underWay = batch
    const writes = batch.items.flatMap((item) => item.writes)
    this.#parts.journal.commit(writes).then(
      () => this.#committed(batch),
      (error: unknown) => this.#failed(batch, error),
    )
  }

  /** The next batch starts first: the disk works while this one is published and answered. */
  #committed(batch: Batch): void {
    this.#underWay = undefined
    this.#startBatch()
    for (const { writes } of batch.items) for (const write of writes) this.#apply(write)
    for (const decided of batch.items) this.#answer(decided)
    this.#afterBatch()
    if (this.#revision - this.#floor > this.#parts.history.revisions * (1 + TRIM_SLACK)) this.#trimHistory()
  }

  /** Nothing of the batch happened: its writes are refused, and whatever was decided on top of them is decided again. */
  #failed(batch: Batch, error: unknown): void {
    const waiting = this.#gathering
    this.#speculation.rollBack([batch, waiting])
    this.#underWay = undefined
    this.#gathering = { items: [] }
    for (const { request, writes } of batch.items) if (writes.length > 0) request.reject(unavailable(error))
    const again = [...batch.items.filter(({ writes }) => writes.length === 0), ...waiting.items]
    for (const { request } of again.toSorted((a, b) => a.request.order - b.request.order)) this.#accept(request)
    this.#afterBatch()
  }

  #afterBatch(): void {
    if (!this.#underWay && this.#gathering.items.length === 0) this.#idle?.()
  }

  #answer({ request, outcome }: Decided): void {
    request.resolve(outcome ?? { ok: true, revision: this.#revision })
  }

  #apply(write: PlannedWrite): void {
    for (const change of write.changes) this.#applyChange(change)
    this.#revision = write.revision
    const transaction = this.#watchers.none ? undefined : logged(write)
    this.#recent.push(write)
    if (transaction) this.#watchers.publish(transaction)
  }

  #applyChange(change: PlannedChange): void {
    const { current } = this.#parts
    if (change.version) current.set(change.version)
    else current.delete(change.key)
    this.#speculation.settle(change)
  }

  #trimHistory(): void {
    if (this.#trimming || this.#closing) return
    this.#trimming = true
    const { revisions, ageMs } = this.#parts.history
    const trim = { until: Math.max(this.#floor, this.#revision - revisions), olderThan: Date.now() - ageMs }
    void this.#trimAll(trim).finally(() => (this.#trimming = false))
  }

  async #trimAll(trim: Trim): Promise<void> {
    try {
      while (!this.#closing && !(await this.#trimStep(trim)).done);
    } catch {
      // A disk that takes no writes: the next trim finds the same history again.
    }
  }

  async #trimStep(trim: Trim): Promise<{ done: boolean }> {
    this.#refuseClosed()
    const { floor, done } = await this.#parts.journal.trim(trim)
    if (floor > this.#floor) this.#floor = floor
    this.#recent.dropUntil(this.#floor)
    return { done }
  }
}

function unavailable(error: unknown): Error {
  if (error instanceof StoreUnavailable) return error
  return new StoreUnavailable(`the write could not be made durable: ${String(error)}`, { cause: error })
}

function compacted(revision: Revision, floor: Revision): Compacted {
  return new Compacted(`revision ${revision} is no longer kept; the oldest one is ${floor}`)
}

function futureRevision(revision: Revision, newest: Revision): FutureRevision {
  return new FutureRevision(`revision ${revision} has not happened yet; the newest one is ${newest}`)
}
