import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { FrameWriter, readFrames } from './frames.ts'
import { guarded, lockData, openLog } from './log-file.ts'
import { resultCode, SQLITE } from './sqlite-errors.ts'

/** Some current values, packed. What is read of it is read by whoever has the time. */
export interface LoadedChunk {
  /** JSON: revision, index, key length and value length of each, one after the other. */
  readonly rows: string
  readonly keys: Uint8Array
  readonly values: Uint8Array
}

export interface LogDatabaseOptions {
  readonly path: string
  /** The database file may not grow beyond this. */
  readonly maxBytes: number | undefined
}

/** Rows are read in portions of about this size. */
const PORTION_BYTES = 1 << 19
const PORTION_ROWS = 1024
/** Looked through per portion when little of it is asked for: some milliseconds in which no commit can happen. */
const PORTION_REVISIONS = 16_384
/** While loading, less: blocks that malloc gives back at once have to be filled with zeros by the system each time. */
const LOAD_BYTES = 1 << 16
/** A larger file is mapped up to here and read beyond. Only while loading: an error of the disk would end the process. */
const MAPPED_BYTES = 2 ** 31
/** Writes forgotten per step: a few milliseconds of work. */
const TRIM_ROWS = 512

const COUNT = 'SELECT max(id) >> 20 AS newest, (SELECT floor FROM history) AS floor FROM log'
const INSERT = `INSERT INTO log (id, previous, at, key, value)
  VALUES ((?1 << 20) | ?2, nullif((?3 << 20) | ?4, 0), ?5, ?6, ?7)`
/** A row in the history that replaced another one: what it replaced is not current. */
const FIND_REPLACED = `PRAGMA temp_store = MEMORY;
  CREATE TEMP TABLE replaced (id INTEGER PRIMARY KEY);
  INSERT INTO replaced SELECT previous FROM log WHERE id >= ((SELECT floor FROM history) + 1) << 20 AND previous IS NOT NULL`
// Concatenation inside SQLite: fetching the rows one by one takes four times as long. A cast to text keeps the bytes.
const LOAD = `SELECT cast(max(id) AS TEXT), count(*),
    '[' || group_concat((id >> 20) || ',' || (id & 0xfffff) || ',' || octet_length(key) || ',' || octet_length(value)) || ']',
    cast(group_concat(key, '') AS BLOB), cast(group_concat(cast(value AS TEXT), '') AS BLOB)
  FROM (SELECT id, key, value FROM log WHERE id > cast(?1 AS INTEGER) AND value IS NOT NULL
    AND id NOT IN replaced ORDER BY id LIMIT ?2)`
const READ = `SELECT l.id >> 20, l.id & 0xfffff, coalesce(l.previous >> 20, 0), coalesce(l.previous & 0xfffff, 0), l.key, l.value, p.value
  FROM log l LEFT JOIN log p ON p.id = l.previous
  WHERE l.id >= (?1 + 1) << 20 AND l.id < (?2 + 1) << 20 AND substr(l.key, 1, length(?3)) = ?3 ORDER BY l.id`
const OLDEST = `SELECT id >> 20, at, cast(id AS TEXT), cast(previous AS TEXT), value IS NULL FROM log
  WHERE id >= (?1 + 1) << 20 ORDER BY id`
const FORGET = 'DELETE FROM log WHERE id = cast(? AS INTEGER)'
const UNDO = 'DELETE FROM log WHERE id >= (? + 1) << 20'

type ReadRow = [number, number, number, number, string, Uint8Array | null, Uint8Array | null]
type OldestRow = [number, number, string, string | null, number]

/** The log in SQLite. After a failed write the connection is not trusted any more: it is opened again before the next. */
export class LogDatabase {
  readonly #options: LogDatabaseOptions
  readonly #lock: DatabaseSync
  #open: { database: DatabaseSync; insert: StatementSync } | undefined
  /** What the disk holds beyond `#revision` belongs to a write that was reported as failed. */
  #doubt: 'none' | 'rows' | 'sync' = 'none'
  #revision = 0
  #floor = 0

  constructor(options: LogDatabaseOptions) {
    this.#options = options
    this.#lock = lockData(options.path)
    try {
      const { newest, floor } = this.#read(() => this.#connection().database.prepare(COUNT).get()) as Record<
        string,
        number | null
      >
      this.#floor = floor!
      this.#revision = Math.max(newest ?? 0, this.#floor)
    } catch (error) {
      this.close()
      throw error
    }
  }

  get revision(): number {
    return this.#revision
  }

  get floor(): number {
    return this.#floor
  }

  /** All current values, in the order they were written. */
  *load(): Generator<LoadedChunk> {
    const { database } = this.#connection()
    // Pages are read where the system has them instead of being copied first; twice, for the two passes.
    database.exec(`PRAGMA mmap_size = ${MAPPED_BYTES}`)
    this.#read(() => database.exec(FIND_REPLACED))
    const statement = arrays(database.prepare(LOAD))
    let last = '0'
    for (let limit = 64; ;) {
      const row = this.#read(() => fetchChunk(statement, last, limit))
      if (row === 'too big') {
        limit = Math.ceil(limit / 2)
        continue
      }
      const [id, count, rows, keys, values] = row
      if (count === 0) break
      last = id!
      limit = Math.max(1, Math.min(4096, Math.floor((LOAD_BYTES * count) / (values!.length + 1))))
      yield { rows: rows!, keys: keys!, values: values! }
    }
    database.exec('DROP TABLE replaced; PRAGMA mmap_size = 0')
  }

  commit(frames: ArrayBuffer, length: number): void {
    let newest = this.#revision
    this.#write(({ insert }) => {
      const now = Date.now()
      for (const frame of readFrames(frames, length)) {
        const { revision, index, previousRevision, previousIndex, key, value } = frame
        insert.run(revision, index, previousRevision, previousIndex, now, key, value ?? null)
        newest = revision
      }
    })
    this.#revision = newest
  }

  /** What transactions after `after` up to `newest` did to keys under `prefix`, a portion of it; undefined when they are no longer kept. */
  read(after: number, newest: number, prefix: string): { frames: FrameWriter; complete: number } | undefined {
    if (after < this.#floor) return undefined
    const until = Math.min(newest, after + PORTION_REVISIONS)
    const frames = new FrameWriter()
    let complete = after
    let count = 0
    return this.#read(() => {
      const rows = arrays(this.#connection().database.prepare(READ)).iterate(after, until, prefix)
      for (const row of rows as Iterable<unknown> as Iterable<ReadRow>) {
        const [revision, index, previousRevision, previousIndex, key, value, previous] = row
        if (revision !== complete && (count >= PORTION_ROWS || frames.length > PORTION_BYTES))
          return { frames, complete }
        frames.add({
          revision,
          index,
          previousRevision,
          previousIndex,
          key,
          value: value ?? undefined,
          previous: previous ?? undefined,
        })
        complete = revision
        count++
      }
      return { frames, complete: until }
    })
  }

  /** Forgets the oldest transactions, at least one and about {@link TRIM_ROWS} writes; done when nothing is left to forget. */
  trim(until: number, olderThan: number): { floor: number; done: boolean } {
    const { rows, done } = this.#read(() => this.#forgettable(until, olderThan))
    const floor = Math.max(rows.at(-1)?.[0] ?? 0, done ? Math.min(until, this.#revision) : 0, this.#floor)
    if (floor > this.#floor) {
      this.#write(({ database }) => {
        const forget = database.prepare(FORGET)
        for (const [, , id, previous, deleted] of rows) {
          if (previous !== null) forget.run(previous)
          if (deleted) forget.run(id)
        }
        database.prepare('UPDATE history SET floor = ?').run(floor)
      })
      this.#floor = floor
    }
    return { floor, done }
  }

  close(): void {
    this.#disconnect()
    this.#lock.close()
  }

  #forgettable(until: number, olderThan: number): { rows: OldestRow[]; done: boolean } {
    const rows: OldestRow[] = []
    const oldest = arrays(this.#connection().database.prepare(OLDEST)).iterate(this.#floor)
    for (const row of oldest as Iterable<unknown> as Iterable<OldestRow>) {
      const [revision, at] = row
      if (revision > this.#revision || (revision > until && at >= olderThan)) break
      if (rows.length >= TRIM_ROWS && revision !== rows.at(-1)![0]) return { rows, done: false }
      rows.push(row)
    }
    return { rows, done: true }
  }

  #read<T>(run: () => T): T {
    return guarded(this.#options.path, run)
  }

  #write(run: (connection: { database: DatabaseSync; insert: StatementSync }) => void): void {
    try {
      const connection = this.#connection()
      this.#settleDoubt(connection.database)
      connection.database.exec('BEGIN IMMEDIATE')
      run(connection)
      connection.database.exec('COMMIT')
    } catch (error) {
      // A full disk fails before anything is synced. After any other failure it is unknown what the disk has.
      if (this.#doubt !== 'sync') this.#doubt = resultCode(error) === SQLITE.FULL ? 'rows' : 'sync'
      this.#disconnect()
      throw error
    }
  }

  /**
   * Removes what a failed commit may have left. When a sync failed, the pages of the write-ahead log may be missing on
   * disk although they can be read, so everything is moved to the database, which syncs it anew, and a new log begins.
   */
  #settleDoubt(database: DatabaseSync): void {
    if (this.#doubt === 'none') return
    database.prepare(UNDO).run(this.#revision)
    if (this.#doubt === 'sync') {
      const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
      if (busy !== 0) throw new Error('the write-ahead log could not be moved to the database')
    }
    this.#doubt = 'none'
  }

  #connection(): { database: DatabaseSync; insert: StatementSync } {
    if (!this.#open) {
      const database = openLog(this.#options.path, this.#options.maxBytes)
      this.#open = { database, insert: database.prepare(INSERT) }
    }
    return this.#open
  }

  #disconnect(): void {
    try {
      this.#open?.database.close()
    } catch {
      // It is given up either way; the operating system closes what SQLite could not.
    }
    this.#open = undefined
  }
}

type ChunkRow = [string | null, number, string | null, Uint8Array | null, Uint8Array | null]

function fetchChunk(statement: StatementSync, after: string, limit: number): ChunkRow | 'too big' {
  try {
    return statement.get(after, limit) as unknown as ChunkRow
  } catch (error) {
    if (resultCode(error) === SQLITE.TOOBIG && limit > 1) return 'too big'
    throw error
  }
}

function arrays(statement: StatementSync): StatementSync {
  statement.setReturnArrays(true)
  return statement
}
