import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scratch, startChild } from './child.ts'
import { BASE, connect, counterObject, listCounters } from './counters.ts'

/** Loaded into every thread of the server; in that of the store it throws once the file is there. */
const SABOTAGE = `
import { existsSync } from 'node:fs'
import { threadName } from 'node:worker_threads'
if (threadName === 'store') setInterval(() => {
  if (existsSync(process.env.SABOTAGE)) throw new Error('sabotage')
}, 10)`

test(
  'a server whose store has broken down says so, ends with 1 and has lost nothing',
  { timeout: 60_000 },
  async (t) => {
    const data = scratch(t, 'store-thread')
    const preload = `--import=data:text/javascript,${encodeURIComponent(SABOTAGE)}`
    const trigger = join(data, 'sabotage')
    const server = await startChild(data, [], { NODE_OPTIONS: preload, SABOTAGE: trigger })
    let told = ''
    server.process.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()))
    const connection = await connect(server.target)
    assert.equal((await connection.request('POST', BASE, counterObject('a', 1))).status, 201)
    const exit = once(server.process, 'exit')
    writeFileSync(trigger, '')
    assert.deepEqual(await exit, [1, null])
    assert.match(
      told,
      /"level":"error".*the store has stopped: sabotage.*the store has broken down; start the server again/,
    )
    connection.close()
    const again = await startChild(data)
    assert.deepEqual([...(await listCounters(again.target)).counters.keys()], ['a'])
  },
)
