import type { PlannedWrite } from './journal.ts'
import type { Change, Revision } from './store.ts'
import { viewOf } from './value-slabs.ts'
import type { ValueSlabs } from './value-slabs.ts'

/** A change as the log keeps it: a list of the past also needs to know which revision the replaced value had. */
export interface LoggedChange extends Change {
  /** 0 when the key did not exist before. */
  readonly previousRevision: Revision
}

/** All changes of one transaction, in the order of its ops. */
export interface LoggedTransaction {
  readonly revision: Revision
  readonly changes: readonly LoggedChange[]
}

export interface Limits {
  readonly transactions: number
  readonly bytes: number
}

/** Stands where a dropped transaction was, so that its memory is free at once. */
const FORGOTTEN: PlannedWrite = { revision: 0, changes: [] }

/**
 * The newest part of the log, in memory, so that most watches and lists of the past need no disk. It takes over the
 * versions that its transactions replaced and releases them when it forgets the transaction.
 */
export class RecentChanges {
  readonly #limits: Limits
  readonly #slabs: ValueSlabs
  #log: PlannedWrite[] = []
  /** Index of the oldest transaction still kept; what is before it waits to be cut off in one go. */
  #head = 0
  #bytes = 0
  #start: Revision

  constructor(start: Revision, limits: Limits, slabs: ValueSlabs) {
    this.#start = start
    this.#limits = limits
    this.#slabs = slabs
  }

  /** Every transaction after this revision is here. */
  get start(): Revision {
    return this.#start
  }

  push(write: PlannedWrite): void {
    this.#log.push(write)
    this.#bytes += sizeOf(write)
    const { transactions, bytes } = this.#limits
    while (this.#log.length - this.#head > transactions || this.#bytes > bytes) this.#drop()
  }

  /** Forgets what happened at or before `revision`. */
  dropUntil(revision: Revision): void {
    while (this.#head < this.#log.length && this.#log[this.#head]!.revision <= revision) this.#drop()
  }

  /** The transactions after `revision`, which must not be before {@link start}. */
  since(revision: Revision): readonly PlannedWrite[] {
    let low = this.#head
    let high = this.#log.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#log[middle]!.revision <= revision) low = middle + 1
      else high = middle
    }
    return this.#log.slice(low)
  }

  #drop(): void {
    const oldest = this.#log[this.#head]!
    this.#log[this.#head++] = FORGOTTEN
    this.#bytes -= sizeOf(oldest)
    this.#start = oldest.revision
    for (const { previous } of oldest.changes) if (previous) this.#slabs.release(previous)
    if (this.#head > 1024 && this.#head * 2 > this.#log.length) {
      this.#log = this.#log.slice(this.#head)
      this.#head = 0
    }
  }
}

/** The replaced values are what this keeps in memory on top of the current ones; 200 bytes stand for the objects. */
function sizeOf({ changes }: PlannedWrite): number {
  return changes.reduce((sum, { previous }) => sum + (previous?.length ?? 0) + 200, 0)
}

/** A transaction of this process as the log shows it. */
export function logged({ revision, changes }: PlannedWrite): LoggedTransaction {
  return {
    revision,
    changes: changes.map(({ key, version, previous }): LoggedChange => {
      const before = previous && viewOf(previous)
      const value = version ? viewOf(version) : before!
      const previousRevision = previous?.revision ?? 0
      return { revision, type: version ? 'put' : 'delete', key, value, previous: before, previousRevision }
    }),
  }
}
