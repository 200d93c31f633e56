import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { indentJson } from '#apiserver/indent-json.ts'
import { EVENT_TYPES, eventType, startTestServer, type Answer } from '#test/support/server.ts'

const isPretty = ({ text }: Answer): boolean => text === JSON.stringify(JSON.parse(text), undefined, 2)
const isCompact = ({ text }: Answer): boolean => text === JSON.stringify(JSON.parse(text))

describe('pretty', () => {
  it('is as others indent JSON, whatever is in it', () => {
    const value = {
      empty: {},
      none: [],
      nested: [[], [{}], { a: [1, 'two', null, true, -3.5e-7] }],
      text: 'a "quoted" {text}, [with]: \\ backslash\\\\ and \u00fc \u{1f600}',
      'key: "odd"': '\\"',
    }
    const indented = Buffer.from(indentJson(Buffer.from(JSON.stringify(value)))).toString()
    assert.equal(indented, JSON.stringify(value, undefined, 2))
  })

  it('cannot make much of little', () => {
    const deep = `${'['.repeat(100)}${'1,'.repeat(10_000)}1${']'.repeat(100)}`
    assert.ok(indentJson(Buffer.from(deep)).length < deep.length * 25)
  })

  it('is an answer for people: when asked for, and by curl unless it says no', async (t) => {
    const server = await startTestServer(t)
    const curl = { 'user-agent': 'curl/8.5.0' }
    assert.ok(isPretty(await server.send('POST', `${EVENT_TYPES}?pretty=true`, { body: eventType('a') })))
    const a = `${EVENT_TYPES}/a`
    assert.ok(isCompact(await server.send('GET', a)))
    assert.ok(isPretty(await server.send('GET', `${a}?pretty=1`)))
    assert.ok(isPretty(await server.send('GET', a, { headers: curl })))
    assert.ok(isCompact(await server.send('GET', `${a}?pretty=false`, { headers: curl })))
    assert.ok(isCompact(await server.send('GET', `${a}?pretty=perhaps`)))
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    assert.ok(isPretty(await server.send('GET', `${EVENT_TYPES}?pretty=true`, { headers: { accept } })))
    const yaml = await server.send('GET', `${a}?pretty=true`, { headers: { accept: 'application/yaml' } })
    assert.match(yaml.text, /^kind: EventType$/m)
    assert.ok(isPretty(await server.send('DELETE', `${a}?pretty=true`)))
  })

  it('of a long list is the same, in pieces and compressed', async (t) => {
    const server = await startTestServer(t)
    const annotations = { text: 'x'.repeat(1000) }
    for (let i = 0; i < 200; i++)
      await server.send('POST', EVENT_TYPES, { body: eventType(`n${i}`, {}, { annotations }) })
    const list = await server.send('GET', `${EVENT_TYPES}?pretty=true`)
    assert.ok(isPretty(list))
    assert.equal(list.json.items.length, 200)
    const { request } = await import('node:http')
    const headers = { authorization: 'Bearer the-token-of-the-tests', 'accept-encoding': 'gzip' }
    const zipped = await new Promise<Buffer>((resolve, reject) => {
      const sent = request(`${server.url}${EVENT_TYPES}?pretty=true`, { headers, agent: false }, (response) => {
        assert.equal(response.headers['content-encoding'], 'gzip')
        response.toArray().then((parts) => resolve(Buffer.concat(parts as Buffer[])), reject)
      })
      sent.on('error', reject).end()
    })
    assert.equal(gunzipSync(zipped).toString(), list.text)
  })
})
