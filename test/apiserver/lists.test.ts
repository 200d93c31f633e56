import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { ManualClock } from '#lib/clock.ts'
import { EVENT_TYPES, eventType, startTestServer, TOKEN, type TestServer } from '#test/support/server.ts'

const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }

async function fill(server: TestServer, names: readonly string[]): Promise<void> {
  for (const name of names) await server.send('POST', EVENT_TYPES, { body: eventType(name, {}, { labels: { name } }) })
}

describe('a list', () => {
  it('carries its kind, its version and the objects as they are read one by one', async (t) => {
    const server = await startTestServer(t)
    await fill(server, ['a', 'b'])
    const { json } = await server.send('GET', EVENT_TYPES)
    const single = await server.send('GET', `${EVENT_TYPES}/b`)
    assert.deepEqual([json.kind, json.apiVersion], ['EventTypeList', 'event.cp.ei.vendor.de/v1'])
    assert.equal(json.metadata.resourceVersion, String(server.registry.revision))
    assert.deepEqual(json.items[1], single.json)
  })

  it('comes in pages of one state, whatever is written in between', async (t) => {
    const server = await startTestServer(t)
    await fill(server, ['a', 'b', 'c', 'd', 'e'])
    const first = await server.send('GET', `${EVENT_TYPES}?limit=2`)
    assert.equal(first.json.metadata.remainingItemCount, 3)
    await fill(server, ['bb'])
    await server.send('DELETE', `${EVENT_TYPES}/e`)
    const rest = await server.send('GET', `${EVENT_TYPES}?continue=${encodeURIComponent(first.json.metadata.continue)}`)
    const names = [...first.json.items, ...rest.json.items].map((item) => item.metadata.name)
    assert.deepEqual(names, ['a', 'b', 'c', 'd', 'e'])
    assert.equal(rest.json.metadata.resourceVersion, first.json.metadata.resourceVersion)
  })

  it('of a state that is forgotten is answered with 410', async (t) => {
    const server = await startTestServer(t)
    await fill(server, ['a', 'b', 'c'])
    const first = await server.send('GET', `${EVENT_TYPES}?limit=1`)
    await fill(server, ['d'])
    await server.store.compact(server.store.revision)
    const rest = await server.send('GET', `${EVENT_TYPES}?continue=${encodeURIComponent(first.json.metadata.continue)}`)
    assert.deepEqual([rest.status, rest.json.reason], [410, 'Expired'])
  })

  it('longer than a piece arrives whole', async (t) => {
    const server = await startTestServer(t)
    const description = 'x'.repeat(20_000)
    for (let i = 0; i < 20; i++) await server.send('POST', EVENT_TYPES, { body: eventType(`n${i}`, { description }) })
    const answer = await server.send('GET', EVENT_TYPES)
    assert.equal(answer.json.items.length, 20)
    assert.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.text)))
  })

  it('is compressed when it is long and the caller can read that', async (t) => {
    const server = await startTestServer(t)
    const description = 'x'.repeat(20_000)
    for (let i = 0; i < 8; i++) await server.send('POST', EVENT_TYPES, { body: eventType(`n${i}`, { description }) })
    const ask = async (query: string, encoding: string) => {
      const headers = { authorization: `Bearer ${TOKEN}`, 'accept-encoding': encoding }
      const answer = await fetch(`${server.url}${EVENT_TYPES}${query}`, { headers })
      return { encoding: answer.headers.get('content-encoding'), text: await answer.text() }
    }
    const { text } = await server.send('GET', EVENT_TYPES)
    assert.deepEqual(await ask('', 'deflate, gzip;q=0.5'), { encoding: 'gzip', text })
    assert.deepEqual(await ask('', 'gzip;q=0, identity'), { encoding: null, text })
    assert.equal((await ask('?limit=1', 'gzip')).encoding, null)
    const head = await server.send('HEAD', EVENT_TYPES, { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(head.headers['content-length'], String(Buffer.byteLength(text)))
  })

  it('across namespaces and by selector shows what it should', async (t) => {
    const server = await startTestServer(t)
    await fill(server, ['a', 'b'])
    await server.send('POST', EVENT_TYPES.replace('/tests/', '/other/'), { body: eventType('c') })
    const all = '/apis/event.cp.ei.vendor.de/v1/eventtypes'
    const names = async (query: string): Promise<string[]> => {
      const items = (await server.send('GET', all + query)).json.items as { metadata: { name: string } }[]
      return items.map((item) => item.metadata.name)
    }
    assert.deepEqual(await names(''), ['c', 'a', 'b'])
    assert.deepEqual(await names('?labelSelector=name%3Db'), ['b'])
    assert.deepEqual(await names('?fieldSelector=metadata.namespace%3Dother'), ['c'])
  })

  it('asked to be deleted is deleted, as far as the selector goes', async (t) => {
    const server = await startTestServer(t)
    await fill(server, ['a', 'b'])
    const answer = await server.send('DELETE', `${EVENT_TYPES}?labelSelector=name%3Da`)
    assert.deepEqual([answer.json.kind, answer.json.items.length], ['EventTypeList', 1])
    assert.equal((await server.send('GET', EVENT_TYPES)).json.items[0].metadata.name, 'b')
  })
})

describe('a Table', () => {
  it('has the columns of the kind and an age as kubectl writes it', async (t) => {
    const clock = new ManualClock(Date.parse('2030-01-01T00:00:00Z'))
    const server = await startTestServer(t, { clock })
    await fill(server, ['a'])
    clock.advance(5 * 60_000 + 3000)
    const { json } = await server.send('GET', EVENT_TYPES, { headers: TABLE })
    const cells = json.rows[0].cells as unknown[]
    const definitions = json.columnDefinitions as { name: string; priority: number }[]
    const columns = definitions.map(({ name, priority }) => `${name}${priority}`)
    assert.deepEqual(columns, ['Name0', ...EventType.columns.map(({ name, priority = 0 }) => `${name}${priority}`)])
    assert.equal(cells.length, columns.length)
    assert.deepEqual(cells.slice(0, 3), ['a', 'de.vendor.tests.v1', '1.0.0'])
    assert.equal(cells.at(-1), '5m3s')
    assert.equal(json.rows[0].object.kind, 'PartialObjectMetadata')
    assert.equal(json.rows[0].object.metadata.name, 'a')
  })

  it('includes as much of the object as was asked for', async (t) => {
    const server = await startTestServer(t)
    await fill(server, ['a'])
    const row = async (query: string) =>
      (await server.send('GET', EVENT_TYPES + query, { headers: TABLE })).json.rows[0]
    assert.equal((await row('?includeObject=None')).object, null)
    assert.equal((await row('?includeObject=Object')).object.spec.version, '1.0.0')
  })
})

describe('metadata alone', () => {
  it('can be listed', async (t) => {
    const server = await startTestServer(t)
    await fill(server, ['a'])
    const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
    const { json } = await server.send('GET', EVENT_TYPES, { headers: { accept } })
    assert.equal(json.kind, 'PartialObjectMetadataList')
    assert.deepEqual([json.items[0].metadata.name, json.items[0].spec], ['a', undefined])
  })
})
