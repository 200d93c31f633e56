import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { openSqliteStore } from '#store/sqlite.ts'
import type { Store } from '#store/store.ts'

/** Places for stores below one temporary directory. What is still open at the end of the test file is closed. */
export function places(): { place: () => string; open: typeof openSqliteStore } {
  const directory = mkdtempSync(join(tmpdir(), 'stellwerk-store-'))
  const opened: Store[] = []
  after(async () => {
    await Promise.all(opened.map((store) => store.close()))
    rmSync(directory, { recursive: true, force: true })
  })
  return {
    place: () => join(mkdtempSync(join(directory, 'place-')), 'data', 'store.db'),
    open: async (options) => {
      const store = await openSqliteStore(options)
      opened.push(store)
      return store
    },
  }
}

/** Limits how large the files of this process may become; false when that cannot be done here. */
export function limitFileSize(limit: string): boolean {
  return spawnSync('prlimit', ['--pid', `${process.pid}`, `--fsize=${limit}:`]).status === 0
}
