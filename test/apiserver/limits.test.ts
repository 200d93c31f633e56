import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { EVENT_TYPES, eventType, startTestServer, TOKEN } from '#test/support/server.ts'

describe('beyond its limits the server', () => {
  it('refuses another watch with 429 and says when to come back', async (t) => {
    const server = await startTestServer(t, { limits: { watches: 1 } })
    const first = await server.watch(`${EVENT_TYPES}?watch=1`)
    const second = await server.send('GET', `${EVENT_TYPES}?watch=1`)
    assert.deepEqual([second.status, second.json.reason, second.headers['retry-after']], [429, 'TooManyRequests', '1'])
    assert.equal((await server.send('GET', EVENT_TYPES)).status, 200)
    first.close()
    while ((await server.send('GET', `${EVENT_TYPES}?watch=1&timeoutSeconds=1`)).status !== 200) continue
  })

  it('refuses another write with 429 while one is being received, but still reads', async (t) => {
    const server = await startTestServer(t, { limits: { writes: 1 } })
    const slow = connect(server.port, '127.0.0.1')
    const body = JSON.stringify(eventType('slow'))
    const head = `POST ${EVENT_TYPES} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: close\r\n`
    slow.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`)
    while ((await server.send('POST', EVENT_TYPES, { body: eventType('quick') })).status !== 429) continue
    assert.equal((await server.send('GET', EVENT_TYPES)).status, 200)
    slow.end(body.slice(10))
    const [answer] = (await once(slow, 'data')) as [Buffer]
    assert.match(answer.toString(), /^HTTP\/1.1 201 /)
    assert.equal((await server.send('POST', EVENT_TYPES, { body: eventType('late') })).status, 201)
  })

  it('refuses bodies for which there is no room with 429', async (t) => {
    const server = await startTestServer(t, { limits: { bodyBytes: 1000 } })
    const large = await server.send('POST', EVENT_TYPES, { body: eventType('a', { description: 'x'.repeat(2000) }) })
    assert.equal(large.status, 429)
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']) {
      assert.equal((await server.send('POST', EVENT_TYPES, { body: eventType(name) })).status, 201)
    }
  })

  it('gives the room back when a caller goes away half-way', async (t) => {
    const server = await startTestServer(t, { limits: { writes: 1, bodyBytes: 1000 } })
    const socket = connect(server.port, '127.0.0.1')
    socket.write(
      `POST ${EVENT_TYPES} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 900\r\n\r\n{`,
    )
    while ((await server.send('POST', EVENT_TYPES, { body: eventType('a') })).status !== 429) {
      await server.send('DELETE', `${EVENT_TYPES}/a`)
    }
    socket.destroy()
    while ((await server.send('POST', EVENT_TYPES, { body: eventType('b') })).status !== 201) continue
  })
})

describe('an error nobody foresaw', () => {
  it('is answered with 500 and an id that the log explains, and nothing else', async (t) => {
    const log: string[] = []
    const access = (): never => {
      throw new Error('the-inner-text')
    }
    const server = await startTestServer(t, { log, access })
    const answer = await server.send('GET', EVENT_TYPES)
    assert.deepEqual([answer.status, answer.json.reason], [500, 'InternalError'])
    assert.ok(!answer.text.includes('the-inner-text'))
    const id = /[0-9a-f-]{36}/.exec(answer.json.message)?.[0] ?? 'none'
    assert.ok(log.some((line) => line.includes(id) && line.includes('the-inner-text')))
  })
})
