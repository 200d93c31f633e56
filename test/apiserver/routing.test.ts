import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { parseResourcePath, splitPath } from '#apiserver/routes.ts'
import { StatusError } from '#domain/errors.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { indexKinds } from '#registry/kind-table.ts'
import { EVENT_TYPES, eventType, startTestServer, TOKEN } from '#test/support/server.ts'

const kinds = indexKinds(KINDS)
const EVENT = '/apis/event.cp.ei.vendor.de/v1'

describe('a path', () => {
  const addressed: Record<
    string,
    [path: string, kind: string, namespace: string | undefined, name: string | undefined]
  > = {
    'of an object': [`${EVENT}/namespaces/a/eventtypes/b`, 'EventType', 'a', 'b'],
    'of its status': [`${EVENT}/namespaces/a/eventtypes/b/status`, 'EventType', 'a', 'b'],
    'of a collection': [`${EVENT}/namespaces/a/eventtypes`, 'EventType', 'a', undefined],
    'of a collection, with a slash at the end': [`${EVENT}/namespaces/a/eventtypes/`, 'EventType', 'a', undefined],
    'across namespaces': [`${EVENT}/eventtypes`, 'EventType', undefined, undefined],
    'of a namespace': ['/api/v1/namespaces/a', 'Namespace', '', 'a'],
    'of the status of a namespace': ['/api/v1/namespaces/a/status', 'Namespace', '', 'a'],
    'of all namespaces': ['/api/v1/namespaces', 'Namespace', '', undefined],
    'inside the core group': ['/api/v1/namespaces/a/events', 'Event', 'a', undefined],
    'with an escape that was not needed': [`${EVENT}/namespaces/a/eventtypes/b%2Dc`, 'EventType', 'a', 'b-c'],
    'in the old form of a watch': [`${EVENT}/watch/namespaces/a/eventtypes`, 'EventType', 'a', undefined],
  }
  for (const [title, [path, kind, namespace, name]] of Object.entries(addressed)) {
    it(`${title} is understood`, () => {
      const route = parseResourcePath(path, kinds)
      assert.deepEqual([route.kind.kind, route.namespace, route.name], [kind, namespace, name])
    })
  }

  const refused: Record<string, [path: string, code: number]> = {
    'an unknown group': ['/apis/nope.example.com/v1/things', 404],
    'an unknown version': ['/apis/event.cp.ei.vendor.de/v9/eventtypes', 404],
    'an unknown plural': [`${EVENT}/nothings`, 404],
    'a kind instead of its plural': [`${EVENT}/EventType`, 404],
    'an object without its namespace': [`${EVENT}/eventtypes/a`, 404],
    'something after the status': [`${EVENT}/namespaces/a/eventtypes/b/status/more`, 404],
    'an empty segment': [`${EVENT}//namespaces/a/eventtypes`, 404],
    'a dot segment': [`${EVENT}/namespaces/../eventtypes`, 404],
    'an escaped dot segment': [`${EVENT}/namespaces/%2e%2E/eventtypes`, 404],
    'an escaped slash': [`${EVENT}/namespaces/a/eventtypes/b%2Fc`, 404],
    'an escaped NUL': [`${EVENT}/namespaces/a/eventtypes/b%00`, 400],
    'a broken escape': [`${EVENT}/namespaces/a/eventtypes/b%zz`, 400],
    'an escape that is not UTF-8': [`${EVENT}/namespaces/a/eventtypes/b%ff`, 400],
    'a backslash': [`${EVENT}/namespaces/a/eventtypes/b%5c..`, 400],
    'a line break': [`${EVENT}/namespaces/a/eventtypes/b%0d%0aX`, 400],
    'too many segments': [`/apis/${'a/'.repeat(500)}`, 404],
    'no slash': ['*', 404],
    nothing: ['', 404],
  }
  for (const [title, [path, code]] of Object.entries(refused)) {
    it(`with ${title} is refused with ${code}`, () => {
      assert.throws(
        () => parseResourcePath(path, kinds),
        (error) => error instanceof StatusError && error.code === code,
      )
    })
  }

  it('is decoded exactly once', () => assert.deepEqual(splitPath('/a/%2541'), ['a', '%41']))
})

describe('a request', () => {
  it('to a path nobody serves is answered with a Status, whatever the path', async (t) => {
    const server = await startTestServer(t)
    for (const [path, code] of Object.values({
      a: ['/nope', 404],
      b: ['/apis/../x', 404],
      c: ['/apis/%', 400],
      d: ['//', 404],
    })) {
      const answer = await server.send('GET', String(path))
      assert.equal(answer.status, code)
      assert.equal(answer.json.kind, 'Status')
      assert.equal(answer.json.code, code)
    }
  })

  it('with a method a path does not have is answered with 405 and says which ones it has', async (t) => {
    const server = await startTestServer(t)
    await server.send('POST', EVENT_TYPES, { body: eventType('a') })
    const cases: [string, string, string][] = [
      ['POST', `${EVENT_TYPES}/a`, 'GET, HEAD, PUT, PATCH, DELETE'],
      ['DELETE', `${EVENT_TYPES}/a/status`, 'GET, HEAD, PUT, PATCH'],
      ['OPTIONS', EVENT_TYPES, 'GET, HEAD, POST, DELETE'],
      ['PROPFIND', `${EVENT_TYPES}/a`, 'GET, HEAD, PUT, PATCH, DELETE'],
      ['POST', '/version', 'GET'],
    ]
    for (const [method, path, allow] of cases) {
      const answer = await server.send(method, path, { body: {} })
      assert.deepEqual([answer.status, answer.headers.allow, answer.json.reason], [405, allow, 'MethodNotAllowed'])
    }
    assert.equal((await server.send('GET', `${EVENT_TYPES}/a`)).status, 200)
  })

  it('for a subresource that a kind does not have says so, and not that the object is missing', async (t) => {
    const server = await startTestServer(t)
    await server.send('POST', EVENT_TYPES, { body: eventType('a') })
    for (const method of ['GET', 'PUT', 'PATCH']) {
      const { status, json } = await server.send(method, `${EVENT_TYPES}/a/scale`, method === 'GET' ? {} : { body: {} })
      assert.deepEqual([status, json.reason], [404, 'NotFound'])
      assert.match(json.message, /^the server could not find the requested resource: .* no subresource "scale"$/)
    }
  })

  it('HEAD answers like GET without a body', async (t) => {
    const server = await startTestServer(t)
    await server.send('POST', EVENT_TYPES, { body: eventType('a') })
    const get = await server.send('GET', `${EVENT_TYPES}/a`)
    const head = await server.send('HEAD', `${EVENT_TYPES}/a`)
    assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', String(get.text.length)])
    assert.equal((await server.send('HEAD', `${EVENT_TYPES}?watch=1`)).status, 200)
  })

  const malformed: Record<string, [raw: string, code: number]> = {
    'with headers beyond the limit': [`GET /version HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
    'with two lengths': ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx', 400],
    'with a length and chunks': [
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    'that is not HTTP': ['hello\r\n\r\n', 400],
  }
  for (const [title, [raw, code]] of Object.entries(malformed)) {
    it(`${title} is answered with a Status of ${code} and the connection closes`, async (t) => {
      const server = await startTestServer(t)
      const text = await rawExchange(server.port, raw)
      const [head = '', body = ''] = text.split('\r\n\r\n')
      assert.match(head, new RegExp(`^HTTP/1.1 ${code} `))
      assert.equal(JSON.parse(body).kind, 'Status')
      assert.equal(JSON.parse(body).code, code)
    })
  }

  it('in a pipeline is answered in order', async (t) => {
    const server = await startTestServer(t)
    const one = `GET /version HTTP/1.1\r\nHost: a\r\n\r\n`
    const last = `GET ${EVENT_TYPES} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: close\r\n\r\n`
    const text = await rawExchange(server.port, one + one + last)
    assert.equal(text.match(/"gitVersion"/g)?.length, 2)
    assert.match(text, /EventTypeList[^]*$/)
  })
})

function rawExchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
    socket.on('error', reject)
  })
}
