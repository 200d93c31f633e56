import { afterEach, describe } from 'node:test'
import type { Store } from '#store/store.ts'
import { storeAgreesWithModel } from './store-model.ts'
import { promisesToReaders } from './store-reads.ts'
import { promisesToWatchers } from './store-watches.ts'
import { promisesToWriters } from './store-writes.ts'

export interface OpenOptions {
  readonly history?: { readonly revisions: number; readonly ageMs: number }
}

export type OpenStore = (options?: OpenOptions) => Promise<Store>

/** What every implementation of the store promises. `open` gives a new, empty store. */
export function storeContract(name: string, open: OpenStore, { modelRuns = 200 } = {}): void {
  describe(`${name} store`, () => {
    const opened: Store[] = []
    const fresh: OpenStore = async (options) => {
      const store = await open(options)
      opened.push(store)
      return store
    }
    afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())))
    promisesToWriters(fresh)
    promisesToReaders(fresh)
    promisesToWatchers(fresh)
    storeAgreesWithModel(fresh, modelRuns)
  })
}
