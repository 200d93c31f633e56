import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { View } from '#apiserver/negotiate.ts'
import { showList } from '#apiserver/representation.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import type { Resource } from '#domain/object.ts'
import { EVENT_TYPES, eventType, startTestServer } from '#test/support/server.ts'

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1'
const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'

for (const as of ['Table', 'PartialObjectMetadataList'] as const satisfies readonly View[])
  test(`a ${as} is encoded while it is sent, not before`, () => {
    let read = 0
    const stored = (name: string) => ({
      bytes: Buffer.from('{}'),
      revision: 1,
      get resource() {
        read++
        return eventType(name) as Resource
      },
    })
    const items = Array.from({ length: 1000 }, (_, i) => stored(`n-${i}`))
    const accepted = { encoding: 'json', as, version: 'v1' } as const
    const table = { includeObject: 'None', now: 0 } as const
    const { entries } = showList({ items, revision: 1 }, { kind: EventType, accepted, table })
    assert.equal(read, 0)
    entries[Symbol.iterator]().next()
    assert.ok(read > 0 && read < 20, `${read} looks at objects for the first entry`)
  })

/** The last column of a Table says how old the object is when it is asked for. */
const ageless = <T extends { cells?: unknown[] }>(row: T): T => ({
  ...row,
  ...(row.cells && { cells: row.cells.slice(0, -1) }),
})

test('a long list says the same in every form: alone, compressed, as a HEAD and in pages', async (t) => {
  const server = await startTestServer(t)
  const annotations = { note: 'é'.repeat(1000) }
  for (let i = 0; i < 200; i++)
    await server.send('POST', EVENT_TYPES, { body: eventType(`n-${String(i).padStart(3, '0')}`, {}, { annotations }) })
  for (const [accept, key] of [
    [TABLE, 'rows'],
    [METADATA, 'items'],
    ['application/json', 'items'],
  ] as const) {
    const whole = await server.send('GET', EVENT_TYPES, { headers: { accept } })
    const half = await server.send('GET', `${EVENT_TYPES}?limit=100`, { headers: { accept } })
    const rest = await server.send('GET', `${EVENT_TYPES}?limit=100&continue=${half.json.metadata.continue}`, {
      headers: { accept },
    })
    assert.equal(whole.json[key].length, 200)
    assert.deepEqual(whole.json[key].map(ageless), [...half.json[key], ...rest.json[key]].map(ageless))
    const head = await server.send('HEAD', EVENT_TYPES, { headers: { accept } })
    assert.equal(head.status, 200)
    assert.equal(head.headers['content-length'], whole.headers['content-length'])
  }
})

test('what is read aside steps back for what serves everybody', { skip: process.platform !== 'linux' }, async () => {
  const code = `import { lowerPriority } from ${JSON.stringify(new URL('../../src/apiserver/lower-priority.ts', import.meta.url).href)}
    import { getPriority } from 'node:os'
    import { parentPort } from 'node:worker_threads'
    const before = getPriority()
    lowerPriority()
    parentPort.postMessage(getPriority() - before)`
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`))
  const lowered = await new Promise((resolve) => worker.once('message', resolve))
  await worker.terminate()
  assert.equal(lowered, 5)
})

for (const accept of [TABLE, METADATA])
  test(`others are served while a long list is sent as ${accept}`, async (t) => {
    const server = await startTestServer(t)
    const annotations = { note: 'x'.repeat(4000) }
    for (let i = 0; i < 400; i++)
      await server.send('POST', EVENT_TYPES, { body: eventType(`n-${i}`, {}, { annotations }) })
    const order: string[] = []
    const long = server.send('GET', EVENT_TYPES, { headers: { accept } }).then(() => order.push('long'))
    const quick = server.send('GET', `${EVENT_TYPES}/n-0`).then(() => order.push('quick'))
    await Promise.all([long, quick])
    assert.deepEqual(order, ['quick', 'long'])
  })

test('others are served while a collection is deleted on trial', async (t) => {
  const server = await startTestServer(t)
  for (let i = 0; i < 400; i++) await server.send('POST', EVENT_TYPES, { body: eventType(`n-${i}`) })
  const order: string[] = []
  const long = server.send('DELETE', `${EVENT_TYPES}?dryRun=All`).then(() => order.push('long'))
  const quick = server.send('GET', `${EVENT_TYPES}/n-0`).then(() => order.push('quick'))
  await Promise.all([long, quick])
  assert.deepEqual(order, ['quick', 'long'])
})
