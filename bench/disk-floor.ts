import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Durable rows per second of a bare SQLite file on this disk, in transactions of `group` rows of `bytes` each. */
export function durableRowsPerSecond(group: number, bytes: number, seconds = 1.5): number {
  const folder = mkdtempSync(join(tmpdir(), 'stellwerk-floor-'))
  const db = new DatabaseSync(join(folder, 'floor.db'))
  db.exec(
    'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE log (revision INTEGER PRIMARY KEY, value BLOB)',
  )
  const insert = db.prepare('INSERT INTO log (value) VALUES (?)')
  const value = Buffer.alloc(bytes, 120)
  const start = performance.now()
  let rows = 0
  while (performance.now() - start < seconds * 1000) {
    db.exec('BEGIN')
    for (let i = 0; i < group; i++) insert.run(value)
    db.exec('COMMIT')
    rows += group
  }
  const rate = rows / ((performance.now() - start) / 1000)
  db.close()
  rmSync(folder, { recursive: true, force: true })
  return rate
}
