import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { ManualClock } from '#lib/clock.ts'
import { EVENT_TYPES, eventType, startTestServer } from '#test/support/server.ts'

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1'

for (const count of [0, 1, 30])
  test(`a list of ${count}, and its table, says the same as YAML as it does as JSON`, async (t) => {
    // Tables tell ages: time stands still between the two.
    const server = await startTestServer(t, { clock: new ManualClock(Date.UTC(2026, 5, 1)) })
    for (let i = 0; i < count; i++)
      await server.send('POST', EVENT_TYPES, {
        body: eventType(
          `n-${i}`,
          { description: 'a: "b"\n- c\n'.repeat(i) },
          { annotations: { odd: '# *x &y !z | > %' } },
        ),
      })
    for (const form of ['application/json', TABLE]) {
      const json = await server.send('GET', EVENT_TYPES, { headers: { accept: form } })
      const yaml = await server.send('GET', EVENT_TYPES, { headers: { accept: form.replace('json', 'yaml') } })
      assert.equal(yaml.headers['content-type'], 'application/yaml')
      assert.deepEqual(parse(yaml.text), json.json)
    }
  })

test('others are served while a long list is written as YAML', async (t) => {
  const server = await startTestServer(t)
  for (let i = 0; i < 300; i++) await server.send('POST', EVENT_TYPES, { body: eventType(`n-${i}`) })
  const order: string[] = []
  const long = server
    .send('GET', EVENT_TYPES, { headers: { accept: 'application/yaml' } })
    .then(() => order.push('long'))
  const quick = server.send('GET', `${EVENT_TYPES}/n-0`).then(() => order.push('quick'))
  await Promise.all([long, quick])
  assert.deepEqual(order, ['quick', 'long'])
})

test('a large object says the same as YAML as it does as JSON, alone and in a list, and is not laid out line by line', async (t) => {
  const server = await startTestServer(t)
  const annotations = Object.fromEntries(
    Array.from({ length: 900 }, (_, i) => [`example.com/k${i}`, `"${i}": # é\n\t`.repeat(4)]),
  )
  await server.send('POST', EVENT_TYPES, { body: eventType('large', {}, { annotations }) })
  await server.send('POST', EVENT_TYPES, { body: eventType('small') })
  for (const path of [`${EVENT_TYPES}/large`, EVENT_TYPES]) {
    const json = await server.send('GET', path)
    const yaml = await server.send('GET', path, { headers: { accept: 'application/yaml' } })
    assert.deepEqual(parse(yaml.text), json.json)
    assert.ok(yaml.text.split('\n').length < 100)
  }
})
