import type { LoggedTransaction } from './recent-changes.ts'
import type { Revision } from './store.ts'
import type { Version } from './value-slabs.ts'

/** One key of an accepted transaction: `version` is what it writes (undefined: it deletes), `previous` what that replaces. */
export interface PlannedChange {
  readonly key: string
  readonly version: Version | undefined
  readonly previous: Version | undefined
}

export interface PlannedWrite {
  readonly revision: Revision
  readonly changes: readonly PlannedChange[]
}

/** What may be forgotten: everything up to and including `until`, and whatever was written before `olderThan` (ms). */
export interface Trim {
  readonly until: Revision
  readonly olderThan: number
}

/** Where the log is kept. The log store decides, the journal remembers; calls are carried out in call order. */
export interface Journal {
  /** Rejects when the writes are not durable; then none of them is there. */
  commit(writes: readonly PlannedWrite[]): Promise<void>
  /** What some transactions after `after` up to `until` did to keys under `prefix`, oldest first, and the revision up to which the answer is complete. */
  read(
    after: Revision,
    until: Revision,
    prefix: string,
  ): Promise<{ transactions: readonly LoggedTransaction[]; complete: Revision }>
  /** Forgets a small step of history, so that commits are not held up for long. */
  trim(trim: Trim): Promise<{ floor: Revision; done: boolean }>
  close(): Promise<void>
}
