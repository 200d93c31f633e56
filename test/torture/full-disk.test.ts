import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { smallDisk } from '#test/support/small-disk.ts'
import { killAll, startChild } from './child.ts'
import { BASE, connect, counterObject, counterOf, listCounters, parse } from './counters.ts'

test('a full disk refuses writes clearly, serves reads, recovers by itself and loses nothing', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'stellwerk-full-'))
  // Room for a few hundred objects, and a file whose removal makes room again.
  const unmount = smallDisk(data, '6m')
  if (unmount === undefined) return t.skip('mounting a tmpfs needs root')
  t.after(async () => {
    await killAll()
    unmount()
    rmSync(data, { recursive: true })
  })
  const server = await startChild(data)
  const lines: { readonly level: string; readonly msg: string; readonly code?: string }[] = []
  const log = createInterface(server.process.stderr!).on('line', (line) => lines.push(JSON.parse(line)))
  const ofStore = (): readonly string[] =>
    lines.filter(({ msg }) => msg.startsWith('the store ')).map(({ level, msg, code }) => `${level} ${code} ${msg}`)
  const ballast = join(data, 'ballast')
  writeFileSync(ballast, Buffer.alloc(3 * 1024 * 1024))

  const connection = await connect(server.target)
  const acknowledged = new Map<string, number>()
  const refused = await fillUntilRefused(connection, acknowledged)
  assert.equal(refused.status, 503, refused.body.toString())
  const status = parse(refused.body)
  assert.equal(status.kind, 'Status')
  assert.equal(status.reason, 'ServiceUnavailable')
  assert.match(status.message, /disk|stor/i)
  assert.ok(acknowledged.size > 0)

  for (let i = 0; i < 5; i++) {
    const further = await connection.request('POST', BASE, counterObject(`further-${i}`, 1))
    assert.equal(further.status, 503)
  }
  while (ofStore().length === 0) await once(log, 'line')
  assert.deepEqual(ofStore(), ['warn ENOSPC the store refuses writes, and clients are told to try later'])

  const read = await connection.request('GET', `${BASE}/o-0`)
  assert.equal(read.status, 200, 'reads go on')
  const during = await listCounters(server.target)
  assert.equal(during.counters.size, acknowledged.size, 'exactly the acknowledged writes are there')

  rmSync(ballast)
  const again = await connection.request('POST', BASE, counterObject('after', 1))
  assert.equal(again.status, 201, `writes resume without a restart: ${again.body.toString()}`)
  acknowledged.set('after', counterOf(parse(again.body)).revision)
  connection.close()
  while (ofStore().length === 1) await once(log, 'line')
  assert.deepEqual(ofStore().slice(1), ['info undefined the store takes writes again'])

  await server.kill('SIGKILL')
  const restarted = await startChild(data)
  const found = await listCounters(restarted.target)
  await restarted.kill('SIGTERM')
  for (const [name, revision] of acknowledged) assert.equal(found.counters.get(name)?.revision, revision, name)
  assert.equal(found.counters.size, acknowledged.size)
})

async function fillUntilRefused(connection: Awaited<ReturnType<typeof connect>>, acknowledged: Map<string, number>) {
  for (let i = 0; i < 20_000; i++) {
    const answer = await connection.request('POST', BASE, counterObject(`o-${i}`, 1))
    if (answer.status !== 201) return answer
    acknowledged.set(`o-${i}`, counterOf(parse(answer.body)).revision)
  }
  throw new Error('the disk did not fill')
}
