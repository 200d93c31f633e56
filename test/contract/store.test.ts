import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { openMemoryStore } from '#store/memory.ts'
import { openSqliteStore } from '#store/sqlite.ts'
import { storeContract } from './store.ts'

const directory = mkdtempSync(join(tmpdir(), 'stellwerk-store-'))
let stores = 0

const path = () => join(directory, `${stores++}`, 'store.db')

storeContract('memory', (options) => Promise.resolve(openMemoryStore(options)))
storeContract('sqlite', (options) => openSqliteStore({ path: path(), ...options }), { modelRuns: 15 })
storeContract(
  'sqlite with hardly any history in memory',
  (options) => openSqliteStore({ path: path(), ...options, recent: { transactions: 2, bytes: 1 << 20 } }),
  { modelRuns: 25 },
)

after(() => rmSync(directory, { recursive: true }))
