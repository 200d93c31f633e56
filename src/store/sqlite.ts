import type { Worker } from 'node:worker_threads'
import type { LoadedChunk } from './log-database.ts'
import { LogStore } from './log-store.ts'
import type { HistoryWindow } from './log-store.ts'
import { OrderedKeys } from './ordered-keys.ts'
import type { Limits } from './recent-changes.ts'
import { corrupt, CorruptStore, DataInaccessible, DataInUse } from './sqlite-errors.ts'
import type { Failure } from './sqlite-errors.ts'
import { SqliteJournal } from './sqlite-journal.ts'
import type { WritesTold } from './sqlite-journal.ts'
import type { Opening, WorkerStart } from './sqlite-messages.ts'
import { startStoreThread } from './store-thread.ts'
import type { Store } from './store.ts'
import { adoptSlab, adoptVersion, ValueSlabs } from './value-slabs.ts'
import type { Version } from './value-slabs.ts'

export interface SqliteStoreOptions {
  /** The database file; its directory belongs to this store alone and is made when it does not exist. */
  readonly path: string
  /** How much of the past is kept; 24 hours or 100 000 revisions, whichever is less, unless told. */
  readonly history?: Partial<HistoryWindow> | undefined
  /** Writes are refused rather than letting the database file grow beyond this. */
  readonly maxBytes?: number | undefined
  /** How much of the newest history stays in memory; older parts are read from disk when asked for. */
  readonly recent?: Limits | undefined
  /**
   * The thread that owns the database has ended by itself. Reads go on and writes are refused, but what became of the last
   * ones is unknown: only opening the store again tells.
   */
  readonly onLost?: ((error: Error) => void) | undefined
  readonly onWrites?: WritesTold | undefined
  /** One that was started ahead, for this store alone. */
  readonly thread?: Worker | undefined
}

const DAY_MS = 86_400_000
const RECENT = { transactions: 8192, bytes: 8 << 20 }

/**
 * Opens the durable store.
 * @throws DataInUse when another process holds the directory; @throws CorruptStore when the file cannot be trusted;
 * @throws DataInaccessible when the directory cannot be used
 */
export async function openSqliteStore({
  path,
  history,
  maxBytes,
  recent = RECENT,
  onLost = () => undefined,
  onWrites = () => undefined,
  thread: worker = startStoreThread(),
}: SqliteStoreOptions): Promise<Store> {
  const start: WorkerStart = { path, maxBytes }
  worker.postMessage(start)
  const versions: Version[] = []
  const { revision, floor } = await opened(worker, (chunk) => addChunk(versions, chunk))
  const journal = new SqliteJournal(worker, { onLost, onWrites })
  const twice = sortByKey(versions)
  if (twice) {
    await journal.close()
    throw corrupt(path, `the key ${JSON.stringify(twice.key)} has two current values`)
  }
  return new LogStore({
    journal,
    history: { revisions: history?.revisions ?? 100_000, ageMs: history?.ageMs ?? DAY_MS },
    recent,
    schedule: setImmediate,
    current: new OrderedKeys(versions),
    slabs: new ValueSlabs(),
    revision,
    floor,
  })
}

function opened(worker: Worker, add: (chunk: LoadedChunk) => void): Promise<{ revision: number; floor: number }> {
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      done()
    }
    const onError = (error: Error) => settle(() => reject(error))
    const onExit = () => onError(new DataInaccessible('the thread that was to open the store has ended'))
    const onMessage = (message: Opening) => {
      if (message.type === 'chunk') add(message.chunk)
      else if (message.type === 'ready') settle(() => resolve(message))
      else settle(() => reject(errorOf(message.failure)))
    }
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
  })
}

/** The packed values become a slab as they are. Keys are most often ASCII, which is read twice as fast when that is said. */
function addChunk(versions: Version[], { rows: text, keys, values }: LoadedChunk): void {
  const rows = JSON.parse(text) as number[]
  const bytes = Buffer.from(keys.buffer, keys.byteOffset, keys.length)
  const encoding = bytes.toString().length === bytes.length ? 'latin1' : 'utf8'
  const slab = adoptSlab(values)
  let keyAt = 0
  let offset = 0
  for (let i = 0; i < rows.length; i += 4) {
    const keyEnd = keyAt + rows[i + 2]!
    const key = bytes.toString(encoding, keyAt, keyEnd)
    const length = rows[i + 3]!
    versions.push(adoptVersion({ key, revision: rows[i]!, index: rows[i + 1]!, slab, offset, length }))
    keyAt = keyEnd
    offset += length
  }
}

/** Sorts in place and gives an entry whose key another one has too. */
function sortByKey(versions: Version[]): Version | undefined {
  versions.sort((a, b) => (a.key < b.key ? -1 : 1))
  return versions.find(({ key }, i) => key === versions[i + 1]?.key)
}

function errorOf({ name, message }: Failure): Error {
  const known = [DataInUse, CorruptStore, DataInaccessible].find((type) => type.name === name)
  return known ? new known(message) : new DataInaccessible(message)
}
