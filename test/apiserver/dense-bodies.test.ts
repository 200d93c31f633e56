import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MOST_VALUES } from '#apiserver/decode-body.ts'
import { EVENT_TYPES, eventType, startTestServer } from '#test/support/server.ts'

test('a body of more values than any object needs is refused before anybody looks at them, in JSON and in YAML', async (t) => {
  const server = await startTestServer(t)
  const text = JSON.stringify(eventType('dense', { more: Array<number>(MOST_VALUES).fill(1) }))
  for (const type of ['application/json', 'application/yaml']) {
    const { status, json } = await server.send('POST', EVENT_TYPES, { body: text, headers: { 'content-type': type } })
    assert.equal(status, 400, type)
    // It is valid, and nobody should look for a mistake in it.
    assert.match(json.message, /^the request body has more than 16384 values, /, type)
  }
  const fewer = eventType('dense', { more: Array<number>(MOST_VALUES / 2).fill(1) })
  assert.equal((await server.send('POST', EVENT_TYPES, { body: fewer })).status, 201)
})

for (const [field, item] of [
  ['ownerReferences', () => ({})],
  ['finalizers', (_: unknown, i: number) => `%${i}`],
] as const)
  test(`a refusal of thousands of ${field} says what is wrong, and not everything`, async (t) => {
    const server = await startTestServer(t)
    const body = eventType('a', {}, { [field]: Array.from({ length: 5000 }, item) })
    const { status, json, text } = await server.send('POST', EVENT_TYPES, { body })
    assert.equal(status, 422)
    assert.equal(json.details.causes.length, 100)
    if (json.message.length < 16_000) assert.match(json.message, /and 19900 more\]$/)
    assert.ok(text.length < 128 * 1024, `${text.length} bytes`)
  })

test('a JSON patch of as many operations as Kubernetes allows is taken', async (t) => {
  const server = await startTestServer(t)
  await server.send('POST', EVENT_TYPES, { body: eventType('a') })
  const body = Array.from({ length: 10_000 }, () => ({ op: 'add', path: '/spec/description', value: 'x' }))
  const headers = { 'content-type': 'application/json-patch+json' }
  assert.equal((await server.send('PATCH', `${EVENT_TYPES}/a`, { body, headers })).status, 200)
})
