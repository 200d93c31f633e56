import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { corrupt, DataInaccessible, DataInUse, messageOf, resultCode, SQLITE } from './sqlite-errors.ts'

/** `STWK`: tells our files from any other SQLite database. */
const APPLICATION_ID = 0x5354_574b
const FORMAT = 1
const PAGE_SIZE = 8192

/**
 * One row per write, keyed by revision and position within the transaction (`revision << 20 | position`). The newest row
 * of a key is its current value, so that a value is written once; `previous` is the id of the row it replaced, which is
 * kept as long as the replacing row is part of the history.
 */
const SCHEMA = `
  CREATE TABLE log (id INTEGER PRIMARY KEY, previous INTEGER, at INTEGER NOT NULL, key TEXT NOT NULL, value BLOB) STRICT;
  CREATE TABLE history (floor INTEGER NOT NULL) STRICT;
  INSERT INTO history VALUES (0);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT};`

/** Pages in the write-ahead log before they move to the database: 16 MB, read back in well under 100 ms after a crash. */
const CHECKPOINT_PAGES = 2048

/**
 * Holds the data for this process until the returned connection is closed or the process ends, however it ends: the lock
 * is the operating system's, on a file that is never written, so that it outlives a broken database connection.
 * @throws DataInUse, DataInaccessible
 */
export function lockData(path: string): DatabaseSync {
  const directory = dirname(path)
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 })
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    if (resultCode(error) === SQLITE.BUSY) {
      throw new DataInUse(
        `the data directory ${directory} is in use by another process; stop that one or use another directory`,
      )
    }
    throw inaccessible(path, error)
  }
}

/** Opens the log, making an empty one where there is none. @throws CorruptStore, DataInaccessible */
export function openLog(path: string, maxBytes: number | undefined): DatabaseSync {
  if (!existsSync(path)) createLog(path)
  // A file appears under its name only when it is complete, so an empty one has lost its content.
  if (statSync(path).size === 0) throw corrupt(path, 'the file is empty')
  return guarded(path, () => {
    const database = new DatabaseSync(path, { timeout: 0 })
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    const { application_id: application } = database.prepare('PRAGMA application_id').get() as {
      application_id: number
    }
    const { user_version: format } = database.prepare('PRAGMA user_version').get() as { user_version: number }
    if (application !== APPLICATION_ID) throw corrupt(path, 'it is a database of another program')
    if (format > FORMAT)
      throw new DataInaccessible(`${path} was written by a newer version of this program; use that version`)
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
    )
    if (maxBytes !== undefined) database.exec(`PRAGMA max_page_count = ${Math.floor(maxBytes / PAGE_SIZE)}`)
    return database
  })
}

/** Runs what reads the file and says in the error which file it is and what to do. */
export function guarded<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    const code = resultCode(error)
    if (code === SQLITE.CORRUPT || code === SQLITE.NOTADB) throw corrupt(path, messageOf(error))
    throw code === undefined ? error : inaccessible(path, error)
  }
}

/** Built beside and renamed, so that a crash at any point leaves either no log or a whole one. */
function createLog(path: string): void {
  if (existsSync(`${path}-wal`)) throw corrupt(path, 'the file is missing although its write-ahead log is there')
  const draft = `${path}.new`
  try {
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(draft + suffix, { force: true })
    closeSync(openSync(draft, 'wx', 0o600))
    const database = new DatabaseSync(draft)
    database.exec(`PRAGMA page_size = ${PAGE_SIZE}; PRAGMA synchronous = FULL; BEGIN; ${SCHEMA}; COMMIT`)
    database.close()
    renameSync(draft, path)
    flushDirectory(dirname(path))
  } catch (error) {
    throw inaccessible(path, error)
  }
}

function flushDirectory(directory: string): void {
  // Windows has no such thing as an open directory; a rename is durable there with the file itself.
  if (process.platform === 'win32') return
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function inaccessible(path: string, error: unknown): DataInaccessible {
  return new DataInaccessible(`the store ${path} cannot be opened: ${whyInaccessible(path, error)}`)
}

/** SQLite calls a file it may not write to an error of the disk. */
function whyInaccessible(path: string, error: unknown): string {
  if (resultCode(error) === SQLITE.FULL) return 'the disk is full. Make room and start again'
  const locked = [path, `${path}-wal`, `${path}.lock`].find((file) => existsSync(file) && !isWritable(file))
  if (locked !== undefined)
    return `${locked} is read-only, or belongs to another user. Let this user read and write it (chmod u+rw, chown)`
  return `${messageOf(error)}. Check that ${dirname(path)} is a directory this user may write to`
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}
