import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EVENT_TYPES, eventType, startTestServer } from '#test/support/server.ts'

const headers = { 'content-type': 'application/apply-patch+yaml' }
const yaml = `apiVersion: event.cp.ei.vendor.de/v1
kind: EventType
metadata:
  name: a
spec:
  type: a.b
  version: "1"
`

describe('an apply request', () => {
  it('may be YAML or JSON, and its manager is the one it names', async (t) => {
    const server = await startTestServer(t)
    const created = await server.send('PATCH', `${EVENT_TYPES}/a?fieldManager=one`, { headers, body: yaml })
    assert.equal(created.status, 201, created.text)
    const { time, ...entry } = created.json.metadata.managedFields[0]
    assert.match(time, /Z$/)
    assert.deepEqual(entry, {
      manager: 'one',
      operation: 'Apply',
      apiVersion: 'event.cp.ei.vendor.de/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:type': {}, 'f:version': {} } },
    })
    const json = JSON.stringify(eventType('a', { type: 'a.b', version: '1' }))
    const same = await server.send('PATCH', `${EVENT_TYPES}/a?fieldManager=one`, { headers, body: json })
    assert.equal(same.status, 200, same.text)
    assert.equal(same.json.metadata.resourceVersion, created.json.metadata.resourceVersion)
  })

  it('needs a manager, and a conflict tells it what to do', async (t) => {
    const server = await startTestServer(t)
    const unnamed = await server.send('PATCH', `${EVENT_TYPES}/a`, { headers, body: yaml })
    assert.equal(unnamed.status, 422)
    assert.deepEqual(unnamed.json.details.causes, [
      { reason: 'FieldValueRequired', message: 'Required value: is required for apply patch', field: 'fieldManager' },
    ])
    await server.send('POST', EVENT_TYPES, { body: eventType('a') })
    const refused = await server.send('PATCH', `${EVENT_TYPES}/a?fieldManager=one`, { headers, body: yaml })
    assert.equal(refused.status, 409)
    assert.deepEqual(refused.json.details.causes, [
      {
        reason: 'FieldManagerConflict',
        message: 'conflict with "tests" using event.cp.ei.vendor.de/v1',
        field: '.spec.type',
      },
      {
        reason: 'FieldManagerConflict',
        message: 'conflict with "tests" using event.cp.ei.vendor.de/v1',
        field: '.spec.version',
      },
    ])
    const forced = await server.send('PATCH', `${EVENT_TYPES}/a?fieldManager=one&force=true`, { headers, body: yaml })
    assert.equal(forced.status, 200, forced.text)
  })

  const wrong: readonly [string, string][] = [
    ['nothing', ''],
    ['no YAML', 'a: ['],
    ['a list', '[]'],
    ['text', 'hello'],
    ['metadata that is none', yaml.replace('metadata:\n  name: a', 'metadata: 5')],
    [
      'depth',
      `{"apiVersion":"event.cp.ei.vendor.de/v1","kind":"EventType","spec":${'{"a":'.repeat(200)}1${'}'.repeat(201)}`,
    ],
  ]
  for (const [what, body] of wrong) {
    it(`of ${what} is refused with 400`, async (t) => {
      const server = await startTestServer(t)
      const { status, json } = await server.send('PATCH', `${EVENT_TYPES}/a?fieldManager=one`, { headers, body })
      assert.equal(status, 400)
      assert.equal(json.kind, 'Status')
    })
  }

  it('warns of a key that came twice', async (t) => {
    const server = await startTestServer(t)
    const body = `${yaml}  version: "2"\n`
    const path = `${EVENT_TYPES}/a?fieldManager=one`
    const warned = await server.send('PATCH', path, { headers, body })
    assert.equal(warned.status, 201, warned.text)
    assert.match(String(warned.headers['warning']), /^299 - "duplicate field/)
    assert.equal((await server.send('PATCH', `${path}&fieldValidation=Strict`, { headers, body })).status, 422)
  })

  it('with a list of items a thousand times as long is answered without delay', async (t) => {
    const server = await startTestServer(t)
    const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`l${i}`, 'x']))
    const body = JSON.stringify(eventType('a', {}, { annotations: labels }))
    const refused = await server.send('PATCH', `${EVENT_TYPES}/a?fieldManager=one`, { headers, body })
    assert.ok(refused.status < 500, refused.text.slice(0, 200))
  })
})
