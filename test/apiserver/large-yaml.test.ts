import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { EVENT_TYPES, startTestServer, type Answer, type TestServer } from '#test/support/server.ts'

/** A body of about 100 kB; `description` says which one it is. */
const large = (name: string, tail = ''): string => {
  const notes = Array.from({ length: 2000 }, (_, i) => `    note-${i}: "${name} has something to say in line ${i}"`)
  return [
    'apiVersion: event.cp.ei.vendor.de/v1',
    'kind: EventType',
    'metadata:',
    `  name: ${name}`,
    '  annotations:',
    ...notes,
    'spec: {type: de.vendor.tests.v1, version: 1.0.0}',
    tail,
  ].join('\n')
}

const post = (server: TestServer, body: string): Promise<Answer> =>
  server.send('POST', EVENT_TYPES, { headers: { 'content-type': 'application/yaml' }, body })

describe('a large YAML body', () => {
  it('is read like a small one', async (t) => {
    const server = await startTestServer(t)
    const { status, json } = await post(server, large('big'))
    assert.equal(status, 201)
    assert.equal(json.metadata.annotations['note-1999'], 'big has something to say in line 1999')
    assert.equal(Object.keys(json.metadata.annotations).length, 2000)
  })

  it('keeps nobody waiting', async (t) => {
    const server = await startTestServer(t)
    let done = false
    const slow = post(server, large('slow')).finally(() => (done = true))
    let meanwhile = 0
    while (!done) {
      await server.send('GET', EVENT_TYPES)
      if (!done) meanwhile++
    }
    assert.equal((await slow).status, 201)
    assert.ok(meanwhile >= 3, `${meanwhile} requests were answered meanwhile`)
  })

  it('is refused with the place of the mistake', async (t) => {
    const server = await startTestServer(t)
    const { status, json } = await post(server, large('broken', 'a: b: c'))
    assert.equal(status, 400)
    assert.match(json.message, /is not YAML: .* at line 2007, column/)
    const twice = await post(server, large('twice', 'kind: EventType'))
    assert.match(twice.headers['warning'] ?? twice.text, /duplicate|line 2007/)
    const itself = await post(server, large('itself', 'status: &s {a: *s}'))
    assert.equal(itself.status, 400)
    assert.match(itself.json.message, /refers to itself/)
  })

  it('does not get the answer of another one', async (t) => {
    const server = await startTestServer(t)
    const names = ['a', 'b', 'c', 'd']
    const answers = await Promise.all(names.map((name) => post(server, large(name, name === 'c' ? 'x: y: z' : ''))))
    assert.deepEqual(
      answers.map(({ status, json }) => (status === 201 ? json.metadata.annotations['note-7'].slice(0, 1) : status)),
      ['a', 'b', 400, 'd'],
    )
  })

  it('of nothing but signs is refused at a glance, however they are arranged', async (t) => {
    const server = await startTestServer(t)
    for (const dense of ['-\n', '{},', 'a: ,', '- 1\n', '? a\n']) {
      const { status, json } = await post(server, dense.repeat(120_000 / dense.length))
      assert.equal(status, 400)
      assert.match(json.message, /more than 32768 signs of YAML; send it as JSON/)
    }
  })
})

it('a thread that has read all there was keeps no process alive', () => {
  const thread = new URL('../../src/apiserver/yaml-thread.ts', import.meta.url)
  const program = `import(${JSON.stringify(thread.href)}).then(async ({ yamlAside }) => {
    const { json } = await yamlAside('read', Buffer.from('a: 1'))
    console.log(JSON.parse(json), process.getActiveResourcesInfo().filter((name) => /Port|Worker/.test(name)))
    process.exit()
  })`
  const { stdout } = spawnSync(process.execPath, ['--eval', program], { encoding: 'utf8' })
  assert.equal(stdout, '{ a: 1 } []\n')
})
