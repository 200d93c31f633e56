import { Worker } from 'node:worker_threads'
import type { LoadedChunk } from './log-database.ts'
import { LogStore } from './log-store.ts'
import type { HistoryWindow } from './log-store.ts'
import { OrderedKeys } from './ordered-keys.ts'
import type { Limits } from './recent-changes.ts'
import { CorruptStore, DataInaccessible, DataInUse } from './sqlite-errors.ts'
import type { Failure } from './sqlite-errors.ts'
import { SqliteJournal } from './sqlite-journal.ts'
import type { Opening, WorkerStart } from './sqlite-messages.ts'
import type { Store } from './store.ts'
import { adoptVersion, ValueSlabs } from './value-slabs.ts'
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
}: SqliteStoreOptions): Promise<Store> {
  const workerData: WorkerStart = { path, maxBytes }
  const worker = new Worker(new URL('sqlite-worker.ts', import.meta.url), { workerData, name: 'store' })
  const current = new OrderedKeys<Version>()
  const slabs = new ValueSlabs()
  const { revision, floor } = await opened(worker, (chunk) => addChunk(current, slabs, chunk))
  return new LogStore({
    journal: new SqliteJournal(worker),
    history: { revisions: history?.revisions ?? 100_000, ageMs: history?.ageMs ?? DAY_MS },
    recent,
    schedule: setImmediate,
    current,
    slabs,
    revision,
    floor,
  })
}

function opened(worker: Worker, add: (chunk: LoadedChunk) => void): Promise<{ revision: number; floor: number }> {
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => {
      worker.off('message', onMessage).off('error', onError)
      done()
    }
    const onError = (error: Error) => settle(() => reject(error))
    const onMessage = (message: Opening) => {
      if (message.type === 'chunk') add(message.chunk)
      else if (message.type === 'ready') settle(() => resolve(message))
      else settle(() => reject(errorOf(message.failure)))
    }
    worker.on('message', onMessage).on('error', onError)
  })
}

/** The packed values become a slab as they are; rows come in the order they were written, so a later one replaces. */
function addChunk(current: OrderedKeys<Version>, slabs: ValueSlabs, { rows, keys, values }: LoadedChunk): void {
  const text = Buffer.from(keys.buffer, keys.byteOffset, keys.length)
  const slab = slabs.adopt(values)
  let keyAt = 0
  let offset = 0
  for (let i = 0; i < rows.length; i += 4) {
    const keyEnd = keyAt + rows[i + 2]!
    const key = text.toString('utf8', keyAt, keyEnd)
    const length = rows[i + 3]!
    keyAt = keyEnd
    if (length < 0) {
      const deleted = current.delete(key)
      if (deleted) slabs.release(deleted)
      continue
    }
    const version = {
      key,
      revision: rows[i]!,
      index: rows[i + 1]!,
      slab: length > 0 ? slab : undefined,
      offset,
      length,
    }
    offset += length
    if (version.slab) adoptVersion(slab, version)
    const replaced = current.set(version)
    if (replaced) slabs.release(replaced)
  }
  slabs.tidy(slab)
}

function errorOf({ name, message }: Failure): Error {
  const known = [DataInUse, CorruptStore, DataInaccessible].find((type) => type.name === name)
  return known ? new known(message) : new DataInaccessible(message)
}
