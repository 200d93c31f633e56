import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { ManualClock } from '#lib/clock.ts'
import { EVENT_TYPES, eventType, startTestServer, TOKEN, type TestServer } from '#test/support/server.ts'

const create = (server: TestServer, name: string, spec: object = {}) =>
  server.send('POST', EVENT_TYPES, { body: eventType(name, spec, { labels: { name } }) })

const gist = (event: any): string => `${event.type} ${event.object.metadata?.name ?? ''}`

describe('a watch', () => {
  it('sends what is there, then every change', async (t) => {
    const server = await startTestServer(t)
    await create(server, 'a')
    const watch = await server.watch(`${EVENT_TYPES}?watch=true`)
    assert.equal(gist(await watch.next()), 'ADDED a')
    await create(server, 'b')
    assert.equal(gist(await watch.next()), 'ADDED b')
    await server.send('DELETE', `${EVENT_TYPES}/a`)
    assert.equal(gist(await watch.next()), 'DELETED a')
    watch.close()
  })

  it('resumes from a version without gap or repetition', async (t) => {
    const server = await startTestServer(t)
    const { json } = await create(server, 'a')
    await create(server, 'b')
    await server.send('DELETE', `${EVENT_TYPES}/b`)
    const watch = await server.watch(`${EVENT_TYPES}?watch=1&resourceVersion=${json.metadata.resourceVersion}`)
    assert.equal(gist(await watch.next()), 'ADDED b')
    assert.equal(gist(await watch.next()), 'DELETED b')
    await create(server, 'c')
    assert.equal(gist(await watch.next()), 'ADDED c')
    watch.close()
  })

  it('by selector sees objects come and go', async (t) => {
    const server = await startTestServer(t)
    await create(server, 'a')
    const watch = await server.watch(`${EVENT_TYPES}?watch=1&labelSelector=name%3Da`)
    assert.equal(gist(await watch.next()), 'ADDED a')
    await create(server, 'b')
    const headers = { 'content-type': 'application/merge-patch+json' }
    await server.send('PATCH', `${EVENT_TYPES}/a`, { headers, body: { metadata: { labels: { name: 'other' } } } })
    assert.equal(gist(await watch.next()), 'DELETED a')
    watch.close()
  })

  it('of one object, in the old form of the path, sees only that one', async (t) => {
    const server = await startTestServer(t)
    await create(server, 'a')
    await create(server, 'b')
    const watch = await server.watch(`${EVENT_TYPES.replace('/v1/', '/v1/watch/')}/b`)
    assert.equal(gist(await watch.next()), 'ADDED b')
    watch.close()
  })

  it('from a version that is forgotten gets a 410 event and ends', async (t) => {
    const server = await startTestServer(t)
    for (const name of ['a', 'b', 'c']) await create(server, name)
    await server.store.compact(server.store.revision)
    const fresh = await startTestServer(t, { store: server.store })
    const watch = await fresh.watch(`${EVENT_TYPES}?watch=1&resourceVersion=1`)
    const event = await watch.next()
    assert.deepEqual([event.type, event.object.code, event.object.reason], ['ERROR', 410, 'Expired'])
    assert.equal(await watch.next(), undefined)
  })

  it('ends after the time it asked for, with a bookmark if it wants them', async (t) => {
    const clock = new ManualClock(0)
    const server = await startTestServer(t, { clock })
    await create(server, 'a')
    const watch = await server.watch(`${EVENT_TYPES}?watch=1&timeoutSeconds=5&allowWatchBookmarks=true`)
    assert.equal(gist(await watch.next()), 'ADDED a')
    clock.advance(5000)
    const bookmark = await watch.next()
    assert.deepEqual(bookmark, {
      type: 'BOOKMARK',
      object: {
        apiVersion: 'event.cp.ei.vendor.de/v1',
        kind: 'EventType',
        metadata: { resourceVersion: String(server.registry.revision) },
      },
    })
    assert.equal(await watch.next(), undefined)
  })

  it('gets a bookmark every minute if it asked for them', async (t) => {
    const clock = new ManualClock(0)
    const server = await startTestServer(t, { clock })
    const watch = await server.watch(`${EVENT_TYPES}?watch=1&allowWatchBookmarks=true`)
    for (let minute = 1; minute <= 3; minute++) {
      clock.advance(60_000)
      assert.equal((await watch.next()).type, 'BOOKMARK')
    }
    watch.close()
  })

  it('marks the end of the initial events when asked for them', async (t) => {
    const server = await startTestServer(t)
    await create(server, 'a')
    const query = '?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    const watch = await server.watch(EVENT_TYPES + query)
    assert.equal(gist(await watch.next()), 'ADDED a')
    const { object } = await watch.next()
    assert.deepEqual(object.metadata.annotations, { 'k8s.io/initial-events-end': 'true' })
    await create(server, 'b')
    assert.equal(gist(await watch.next()), 'ADDED b')
    watch.close()
  })

  it('as a Table has the columns in its first event only', async (t) => {
    const server = await startTestServer(t)
    await create(server, 'a')
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const watch = await server.watch(`${EVENT_TYPES}?watch=1`, { accept })
    const first = await watch.next()
    assert.deepEqual([first.object.kind, first.object.rows[0].cells[0]], ['Table', 'a'])
    assert.equal(first.object.columnDefinitions[0].name, 'Name')
    await create(server, 'b')
    const second = await watch.next()
    assert.deepEqual([second.object.columnDefinitions, second.object.rows[0].cells[0]], [null, 'b'])
    watch.close()
  })

  it('of metadata sends metadata', async (t) => {
    const server = await startTestServer(t)
    await create(server, 'a')
    const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'
    const watch = await server.watch(`${EVENT_TYPES}?watch=1`, { accept })
    const { object } = await watch.next()
    assert.deepEqual([object.kind, object.metadata.name, object.spec], ['PartialObjectMetadata', 'a', undefined])
    watch.close()
  })

  it('that would be refused is answered, not begun', async (t) => {
    const server = await startTestServer(t)
    const answer = await server.send('GET', `${EVENT_TYPES}?watch=1&resourceVersion=abc`)
    assert.deepEqual([answer.status, answer.json.reason], [400, 'BadRequest'])
  })

  it('leaves nothing behind when the caller goes away', async (t) => {
    const server = await startTestServer(t)
    const watch = await server.watch(`${EVENT_TYPES}?watch=1`)
    const metric = async () =>
      /in_flight\{lane="watches"\} (\d+)/.exec((await server.send('GET', '/metrics')).text)?.[1]
    assert.equal(await metric(), '1')
    watch.close()
    while ((await metric()) !== '0') await new Promise(setImmediate)
  })

  it('works with plain curl', async (t) => {
    const server = await startTestServer(t)
    await create(server, 'a')
    const url = `${server.url}${EVENT_TYPES}?watch=1&timeoutSeconds=1`
    const { stdout } = await promisify(execFile)('curl', ['-sN', '-H', `Authorization: Bearer ${TOKEN}`, url])
    assert.equal(gist(JSON.parse(stdout)), 'ADDED a')
  })
})

describe('a watcher that does not read', () => {
  it('is cut off, while the others miss nothing', async (t) => {
    const server = await startTestServer(t)
    const stalled = connect(server.port, '127.0.0.1')
    stalled.on('error', () => undefined)
    stalled.write(`GET ${EVENT_TYPES}?watch=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`)
    await once(stalled, 'readable')
    const healthy = await server.watch(`${EVENT_TYPES}?watch=1`)
    const description = 'x'.repeat(200_000)
    const closed = once(stalled, 'close')
    let written = 0
    const metric = async () =>
      /in_flight\{lane="watches"\} (\d+)/.exec((await server.send('GET', '/metrics')).text)?.[1]
    // The system's own buffers take some megabytes before the server notices.
    while ((await metric()) !== '1') {
      assert.ok(written < 400, 'the stalled watcher is still there after 80 MB')
      await create(server, `n${written}`, { description })
      assert.equal(gist(await healthy.next()), `ADDED n${written}`)
      written++
    }
    stalled.resume()
    await closed
    healthy.close()
  })
})

describe('a server that stops', () => {
  it('ends its watches properly', async () => {
    const hooks: (() => unknown)[] = []
    const server = await startTestServer({ after: (hook: any) => void hooks.push(hook) })
    const watch = await server.watch(`${EVENT_TYPES}?watch=1`)
    await create(server, 'a')
    assert.equal(gist(await watch.next()), 'ADDED a')
    const stopped = Promise.all(hooks.map((hook) => hook()))
    assert.equal(await watch.next(), undefined)
    assert.equal(watch.response.complete, true)
    await stopped
  })
})
