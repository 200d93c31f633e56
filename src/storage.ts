import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { openDataDirectory, type DataDirectory } from '#apiserver/credentials/data-directory.ts'
import { openMemoryStore } from '#store/memory.ts'
import { openSqliteStore } from '#store/sqlite.ts'
import type { WritesTold } from '#store/sqlite-journal.ts'
import type { Store } from '#store/store.ts'
import type { Config } from './config.ts'

/** The directory, taken for this process, and the store in it, being opened. */
export interface Storage {
  readonly directory: DataDirectory
  readonly store: Promise<Store>
  /** Resolves when the store has broken down while it was in use. */
  readonly lost: Promise<Error>
  /** From now on `told` hears what becomes of writes. */
  readonly watchWrites: (told: WritesTold) => void
}

/** `thread` was started ahead for it. @throws StartError when the directory cannot be had; what is wrong with the store is said by its promise */
export function openStorage(config: Config, thread?: Worker): Storage {
  const directory = openDataDirectory(config.data)
  const lost = Promise.withResolvers<Error>()
  let told: WritesTold = () => undefined
  const onWrites: WritesTold = (failure) => told(failure)
  if (config.store === 'memory') void thread?.terminate()
  const store =
    config.store === 'memory'
      ? Promise.resolve(openMemoryStore())
      : openSqliteStore({ path: join(directory.path, 'store.db'), onLost: lost.resolve, onWrites, thread })
  // Whoever waits for the store hears of it; until then it is not unhandled.
  store.catch(() => undefined)
  return { directory, store, lost: lost.promise, watchWrites: (listener) => (told = listener) }
}
