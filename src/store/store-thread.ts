import { Worker } from 'node:worker_threads'

/** The worker makes little garbage; left alone, its heap would grow to tens of megabytes before anyone looks. */
const YOUNG = { maxYoungGenerationSizeMb: 4 }

/** The thread of a store to be opened: starting it takes a while, in which others can find out which store that is. */
export function startStoreThread(): Worker {
  return new Worker(new URL('sqlite-worker.ts', import.meta.url), { name: 'store', resourceLimits: YOUNG })
}
