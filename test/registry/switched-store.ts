import { StoreUnavailable, type Op, type Outcome, type Store } from '#store/store.ts'

export interface SwitchedStore extends Store {
  /** Which keys cannot be written. */
  refuses: (key: string) => boolean
  /** Writes wait for this before they reach the store. */
  gate: (ops: readonly Op[]) => Promise<void> | undefined
}

/** The real store behind switches: a full or slow disk is not something a test can ask a machine for. */
export function switchedStore(store: Store): SwitchedStore {
  const switched: SwitchedStore = {
    refuses: () => false,
    gate: () => undefined,
    get revision() {
      return store.revision
    },
    get floor() {
      return store.floor
    },
    get: (key) => store.get(key),
    snapshot: (prefix) => store.snapshot(prefix),
    list: (...args) => store.list(...args),
    entries: (prefix) => store.entries(prefix),
    count: (prefix) => store.count(prefix),
    watch: (...args) => store.watch(...args),
    compact: (revision) => store.compact(revision),
    close: () => store.close(),
    transact: (ops) => switched.transactAll([ops]),
    transactAll: async (transactions): Promise<Outcome> => {
      const ops = transactions.flat()
      if (ops.some(({ key }) => switched.refuses(key))) throw new StoreUnavailable('disk full')
      await switched.gate(ops)
      return store.transactAll(transactions)
    },
  }
  return switched
}
