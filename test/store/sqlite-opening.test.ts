import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { CorruptStore, DataInaccessible, DataInUse } from '#store/sqlite-errors.ts'
import { write } from '#test/contract/store-values.ts'
import { places } from './places.ts'

const { place, open } = places()

async function filled(): Promise<string> {
  const path = place()
  const store = await open({ path })
  await Promise.all(Array.from({ length: 500 }, (_, i) => write(store, `k${i}`, 'v'.repeat(500))))
  await store.close()
  return path
}

async function refused(path: string, type: new (message: string) => Error, says: RegExp): Promise<void> {
  await assert.rejects(open({ path }), (error: Error) => {
    assert.ok(error instanceof type, `${error.name}: ${error.message}`)
    assert.match(error.message, says)
    assert.ok(error.message.includes(dirname(path)), 'the message names the place')
    return true
  })
}

test('a second opener is refused while the first lives, and is let in when it has closed', async () => {
  const path = place()
  const store = await open({ path })
  await refused(path, DataInUse, /in use by another process/)
  await write(store, 'a', '1')
  await store.close()
  const next = await open({ path })
  assert.equal(next.revision, 1)
  await next.close()
})

test('a file that is no database is refused and left alone', async () => {
  const path = place()
  mkdirSync(dirname(path))
  writeFileSync(path, 'this is not a database, whatever its name says'.repeat(100))
  const before = readFileSync(path)
  await refused(path, CorruptStore, /Restore .* from a backup/)
  assert.deepEqual(readFileSync(path), before)
})

test('a database of another program is refused', async () => {
  const path = place()
  mkdirSync(dirname(path))
  const other = new DatabaseSync(path)
  other.exec('CREATE TABLE theirs (a)')
  other.close()
  await refused(path, CorruptStore, /another program/)
})

test('a damaged file is refused, not opened with holes', async () => {
  const path = await filled()
  const content = readFileSync(path)
  content.fill(0xa5, 3 * 8192, content.length - 8192)
  writeFileSync(path, content)
  await refused(path, CorruptStore, /cannot be read/)
})

test('a truncated file is refused', async () => {
  const path = await filled()
  truncateSync(path, Math.floor(statSync(path).size / 2 / 8192) * 8192)
  await refused(path, CorruptStore, /cannot be read/)
})

test('an emptied file is refused, not taken for a new store', async () => {
  const path = await filled()
  truncateSync(path, 0)
  await refused(path, CorruptStore, /the file is empty/)
})

test('a missing file beside its write-ahead log is refused', async () => {
  const path = await filled()
  rmSync(path)
  writeFileSync(`${path}-wal`, 'left behind')
  await refused(path, CorruptStore, /missing/)
  assert.equal(existsSync(path), false)
})

test('a store of a newer format is refused', async () => {
  const path = await filled()
  const database = new DatabaseSync(path)
  database.exec('PRAGMA user_version = 99')
  database.close()
  await refused(path, DataInaccessible, /newer version/)
})

test('a directory that is none is refused with its name', async () => {
  const path = place()
  writeFileSync(dirname(path), '')
  await refused(path, DataInaccessible, /Check that/)
})

test('what a crash during the very first start left behind does not disturb the next start', async () => {
  const path = place()
  mkdirSync(dirname(path))
  for (const suffix of ['.new', '.new-journal', '.lock']) writeFileSync(path + suffix, '')
  const store = await open({ path })
  assert.equal(store.revision, 0)
  await store.close()
})

test('the files are readable by their owner only', { skip: process.platform === 'win32' }, async () => {
  const path = place()
  const store = await open({ path })
  await write(store, 'a', 'secret')
  assert.equal(statSync(dirname(path)).mode & 0o777, 0o700)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.equal(statSync(`${path}-wal`).mode & 0o777, 0o600)
  await store.close()
})
