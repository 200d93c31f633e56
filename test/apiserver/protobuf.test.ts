import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { field, flag, integer, message, text } from '#apiserver/documents/protobuf-writer.ts'
import { decodeProtobuf } from '#apiserver/protobuf/decode-protobuf.ts'
import { isStatus } from '#domain/errors.ts'
import { EVENT_TYPES, eventType, startTestServer, type Answer, type TestServer } from '#test/support/server.ts'

const headers = { 'content-type': 'application/vnd.kubernetes.protobuf', accept: 'application/json' }

const envelope = (apiVersion: string, kind: string, raw: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from('k8s\0'), field(1, message(text(1, apiVersion), text(2, kind))), field(2, raw)])

/** As Go's encoder writes it: empty texts and times too. */
const metadata = (name: string, ...more: Uint8Array[]): Uint8Array =>
  field(1, message(text(1, name), text(2, ''), text(3, ''), text(4, ''), text(6, ''), field(8, message()), ...more))

const pair = (key: string, value: string): Uint8Array => field(11, message(text(1, key), text(2, value)))

const namespace = (name: string, ...more: Uint8Array[]): Buffer =>
  envelope('v1', 'Namespace', message(metadata(name, ...more), field(2, message()), field(3, message(text(1, '')))))

const AUTHORIZATION = 'authorization.k8s.io/v1'
const review = (kind: string, raw: Uint8Array): [string, Buffer] => [
  `/apis/${AUTHORIZATION}/${kind.toLowerCase()}s`,
  envelope(AUTHORIZATION, kind, message(metadata(''), raw)),
]

const post = (server: TestServer, path: string, body: Buffer): Promise<Answer> =>
  server.send('POST', path, { headers, body })

describe('bodies in protobuf', () => {
  it('create a namespace with its labels, the hostile ones refused by name', async (t) => {
    const server = await startTestServer(t)
    const made = await post(server, '/api/v1/namespaces', namespace('shop', pair('a', '1'), pair('b', '')))
    assert.equal(made.status, 201)
    assert.deepEqual(made.json.metadata.labels, { a: '1', b: '', 'kubernetes.io/metadata.name': 'shop' })
    assert.equal(made.json.kind, 'Namespace')
    const hostile = await post(server, '/api/v1/namespaces', namespace('evil', pair('__proto__', 'x')))
    assert.equal(hostile.status, 422)
    assert.equal(hostile.json.details.causes[0].field, 'metadata.labels')
  })

  it('ask what one may do and who one is', async (t) => {
    const server = await startTestServer(t)
    const attributes = field(1, message(text(1, 'd'), text(2, 'get'), text(3, ''), text(5, 'namespaces')))
    const [path, body] = review('SelfSubjectAccessReview', field(2, attributes))
    const may = await post(server, path, body)
    assert.equal(may.status, 201)
    assert.equal(may.json.status.allowed, true)
    assert.deepEqual(may.json.spec.resourceAttributes, { namespace: 'd', verb: 'get', resource: 'namespaces' })
    const rules = await post(server, ...review('SelfSubjectRulesReview', field(2, message(text(1, 'd')))))
    assert.equal(rules.json.status.resourceRules.length, 1)
    for (const version of ['v1', 'v1beta1']) {
      const who = await post(
        server,
        `/apis/authentication.k8s.io/${version}/selfsubjectreviews`,
        envelope(`authentication.k8s.io/${version}`, 'SelfSubjectReview', message(metadata(''))),
      )
      assert.equal(who.json.status.userInfo.username, 'admin')
    }
  })

  it('carry the options of a delete', async (t) => {
    const server = await startTestServer(t)
    await server.send('POST', EVENT_TYPES, { body: eventType('a') })
    const options = (...fields: Uint8Array[]): Buffer => envelope('v1', 'DeleteOptions', message(...fields))
    const remove = (body: Buffer): Promise<Answer> => server.send('DELETE', `${EVENT_TYPES}/a`, { headers, body })
    const dryRun = await remove(options(integer(1, 30), flag(3, false), text(4, 'Foreground'), text(5, 'All')))
    assert.equal(dryRun.status, 200)
    assert.equal((await server.send('GET', `${EVENT_TYPES}/a`)).status, 200)
    assert.equal((await remove(options(field(2, text(1, 'another'))))).json.reason, 'Conflict')
    assert.equal((await remove(options())).status, 200)
    assert.equal((await server.send('GET', `${EVENT_TYPES}/a`)).status, 404)
  })

  it('of any other kind are refused with 415', async (t) => {
    const server = await startTestServer(t)
    const bodies = [
      envelope('event.cp.ei.vendor.de/v1', 'EventType', message(metadata('x'))),
      Buffer.from('{"kind":"EventType"}'),
      Buffer.alloc(0),
      Buffer.from('k8s\0'),
    ]
    for (const body of bodies) {
      const answer = await post(server, EVENT_TYPES, body)
      assert.deepEqual([answer.status, answer.json.reason], [415, 'UnsupportedMediaType'])
    }
  })

  it('cut off, mangled or random are never more than a 400', () => {
    const whole = namespace('shop', pair('a', '1'))
    const cut = Array.from({ length: whole.length }, (_, i) => whole.subarray(0, i))
    const mangled = Array.from(whole, (byte, i) => Buffer.from(whole.with(i, byte ^ 0xff)))
    const random = Array.from({ length: 200 }, () => envelope('v1', 'Namespace', randomBytes(40)))
    const refused = [...cut, ...mangled, ...random].filter((bytes) => {
      try {
        decodeProtobuf(bytes)
        return false
      } catch (error) {
        assert.ok(isStatus(error, 'BadRequest'), String(error))
        return true
      }
    })
    assert.ok(refused.length > cut.length / 2)
  })

  it('with a hundred thousand labels take no longer than their bytes', () => {
    const labels = Buffer.concat(Array.from({ length: 100_000 }, (_, i) => pair(`l${i}`, '')))
    const { metadata: read } = decodeProtobuf(namespace('many', labels)) as { metadata: { labels: object } }
    assert.equal(Object.keys(read.labels).length, 100_000)
  })
})
