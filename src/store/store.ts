/**
 * A revisioned, ordered key-value log.
 *
 * Every transaction appends under the next revision and every reader can resume from any revision still retained.
 * A write's promise settles when it is durable; only then can anyone read, list or watch it. Transactions are decided
 * in call order against the newest accepted state, so compare-and-set needs no lock.
 *
 * Keys are plain strings (well-formed Unicode) and are ordered by their UTF-16 code units, which for the ASCII keys we use
 * is byte order. Values are bytes that the store never looks into; the bytes it hands out never change, but they share
 * large buffers: whoever keeps a value for long copies it.
 */
export type Revision = number

export interface Entry {
  readonly key: string
  readonly value: Uint8Array
  /** Revision of the transaction that wrote this value. */
  readonly revision: Revision
}

/** What a transaction does to one key. `encode` receives the revision the write will have, so that values can carry it. */
export type Op =
  | {
      readonly type: 'put'
      readonly key: string
      readonly expect: Expectation
      readonly encode: (revision: Revision) => Uint8Array
    }
  | { readonly type: 'delete'; readonly key: string; readonly expect: Expectation }

/**
 * `absent`: the key must not exist. A number: it must have exactly that revision. `any`: no condition; deleting what is
 * not there then changes nothing, and a transaction that changes nothing takes no revision.
 */
export type Expectation = 'absent' | 'any' | Revision

/** The outcome of a transaction: all of it happened, or none of it and here is the first op that did not match. */
export type Outcome =
  | { readonly ok: true; readonly revision: Revision }
  | { readonly ok: false; readonly failed: number; readonly current: Entry | undefined }

/** One key of one transaction, as watchers see it. `previous` is the value the write replaced or removed. */
export interface Change {
  readonly revision: Revision
  readonly type: 'put' | 'delete'
  readonly key: string
  /** The new value; for a delete the last value the key had. */
  readonly value: Uint8Array
  readonly previous: Uint8Array | undefined
}

/** A page of a list. `revision` is the snapshot every page of the same list shows. */
export interface Page {
  readonly entries: readonly Entry[]
  readonly revision: Revision
  /** Keys after the last entry that the page left out; 0 when the page is the last one. */
  readonly remaining: number
}

/** Everything under a prefix at one moment. Each entry is made when it is looked at. */
export interface Snapshot extends Iterable<Entry> {
  readonly revision: Revision
  readonly count: number
  /** Of all values. */
  readonly bytes: number
}

export interface ListOptions {
  /** Only keys strictly after this one. */
  readonly after?: string | undefined
  readonly limit?: number | undefined
  /** The world as it was at this revision; without it, the newest durable one. */
  readonly at?: Revision | undefined
}

/** Receives changes in revision order, all changes of a transaction in one call. Must not throw and must not block. */
export type Listener = (changes: readonly Change[]) => void

export interface Subscription {
  close(): void
}

export interface Store {
  /** Newest durable revision. */
  readonly revision: Revision
  /** Oldest revision from which a watch or a list can still be served. */
  readonly floor: Revision
  get(key: string): Entry | undefined
  /** The newest durable state of everything under the prefix; it stays that, whatever is written meanwhile. */
  snapshot(prefix: string): Snapshot
  /** @throws Compacted when `at` is older than `floor`; @throws FutureRevision when it is newer than `revision` */
  list(prefix: string, options?: ListOptions): Promise<Page>
  /** The newest durable entries under `prefix` in key order, without copying; do not write while iterating. */
  entries(prefix: string): Iterable<Entry>
  count(prefix: string): number
  /**
   * Names every key at most once. A revision that was not used (a failed batch) is never given again.
   * @throws StoreUnavailable when the batch could not be made durable; nothing of it is visible then
   */
  transact(ops: readonly Op[]): Promise<Outcome>
  /**
   * Several transactions in this order, each under its own revision, all of them or none. No two may name the same key;
   * `failed` counts the ops of all of them.
   * @throws StoreUnavailable
   */
  transactAll(transactions: readonly (readonly Op[])[]): Promise<Outcome>
  /**
   * Changes under `prefix` strictly after `after`: first what is retained, then live ones, without gap or repetition.
   * The promise settles when the replay of retained changes has been handed to `listener`.
   * @throws Compacted, FutureRevision
   */
  watch(prefix: string, after: Revision, listener: Listener): Promise<Subscription>
  /** Forgets the history before `revision` (never the current values). */
  compact(revision: Revision): Promise<void>
  /** Waits for what is under way, then closes. */
  close(): Promise<void>
}

/** The asked-for revision is no longer retained: the reader has to start over from a list. */
export class Compacted extends Error {
  override readonly name = 'Compacted'
}

/** The asked-for revision has not happened yet. */
export class FutureRevision extends Error {
  override readonly name = 'FutureRevision'
}

/** The store cannot make writes durable right now (full disk, I/O error); reads go on and a later write may succeed. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}
