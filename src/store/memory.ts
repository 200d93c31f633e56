import { LogStore } from './log-store.ts'
import type { HistoryWindow } from './log-store.ts'
import type { Journal } from './journal.ts'
import { OrderedKeys } from './ordered-keys.ts'
import type { Store } from './store.ts'
import { ValueSlabs } from './value-slabs.ts'

export interface MemoryStoreOptions {
  /** How many revisions of history are kept; 100 000 unless told. */
  readonly history?: Pick<HistoryWindow, 'revisions'> | undefined
}

/** The store's contract without a disk: for tests, and for worlds that need not outlive their process. */
export function openMemoryStore({ history }: MemoryStoreOptions = {}): Store {
  return new LogStore({
    journal: forgetfulJournal,
    history: { revisions: history?.revisions ?? 100_000, ageMs: Infinity },
    recent: { transactions: Infinity, bytes: Infinity },
    schedule: queueMicrotask,
    current: new OrderedKeys(),
    slabs: new ValueSlabs(),
    revision: 0,
    floor: 0,
  })
}

/** All history is among the recent changes of the log store, so there is nothing to write and nothing to read back. */
const forgetfulJournal: Journal = {
  commit: () => Promise.resolve(),
  read: (_after, until) => Promise.resolve({ transactions: [], complete: until }),
  trim: ({ until }) => Promise.resolve({ floor: until, done: true }),
  close: () => Promise.resolve(),
}
