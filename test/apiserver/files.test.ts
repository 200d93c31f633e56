import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { createRegistry } from '#registry/create-registry.ts'
import { File } from '#domain/kinds/files/file.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { openMemoryStore } from '#store/memory.ts'
import { type Answer, startTestServer, type TestServer } from '#test/support/server.ts'

const ID = 'poc--eni--hyperion--eni-foo-v1'
const checksum = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('base64')
const put = (server: TestServer, body: string | Buffer, headers: object = {}, id = ID): Promise<Answer> =>
  server.send('PUT', `/api/v1/files/${id}`, {
    body,
    headers: { 'x-file-content-type': 'application/yaml', ...headers },
  })
const chunks = ({ store }: TestServer): number => store.count('file:')
const open = (t: TestContext): Promise<TestServer> => startTestServer(t)

test('bytes come out as they went in, with their type and checksum', async (t) => {
  const server = await open(t)
  const answer = await put(server, 'hello: ä')
  assert.deepEqual([answer.status, answer.json], [200, { id: ID }])
  assert.equal(answer.headers['x-file-checksum'], checksum('hello: ä'))
  const got = await server.send('GET', `/api/v1/files/${ID}`)
  assert.equal(got.text, 'hello: ä')
  assert.equal(got.headers['x-file-content-type'], 'application/yaml')
  assert.equal(got.headers['x-file-checksum'], checksum('hello: ä'))
  assert.equal(got.headers['content-type'], 'application/octet-stream')
  assert.equal((await server.send('HEAD', `/api/v1/files/${ID}`)).text, '')
  const { spec } = server.registry.get(File, { namespace: 'poc--eni--hyperion', name: 'eni-foo-v1' }).resource
  assert.deepEqual(spec, { checksum: checksum('hello: ä'), contentType: 'application/yaml', size: 9 })
})

test('the same file again changes nothing, another one replaces it whole', async (t) => {
  const server = await open(t)
  const large = Buffer.alloc(1_200_000, 'a')
  await put(server, large)
  assert.equal(chunks(server), 3)
  const { revision } = server.registry
  await put(server, large)
  assert.equal(server.registry.revision, revision)
  await put(server, 'small')
  assert.equal(chunks(server), 1)
  assert.equal((await server.send('GET', `/api/v1/files/${ID}`)).text, 'small')
})

test('ten megabytes are stored in parts, one byte more is refused', async (t) => {
  const server = await open(t)
  const bytes = Buffer.alloc(10 * 1024 * 1024, 'x')
  assert.equal((await put(server, bytes)).status, 200)
  for (const entry of server.store.entries('file:')) assert.ok(entry.value.length <= 512 * 1024)
  assert.equal((await server.send('GET', `/api/v1/files/${ID}`)).text.length, bytes.length)
  assert.equal((await put(server, Buffer.concat([bytes, Buffer.from('x')]))).status, 413)
})

test('an empty file is a file', async (t) => {
  const server = await open(t)
  await put(server, '')
  const got = await server.send('GET', `/api/v1/files/${ID}`)
  assert.deepEqual([got.status, got.text], [200, ''])
})

test('what is wrong is said: id, checksum, type, method, token', async (t) => {
  const server = await open(t)
  for (const id of [
    'x',
    'a--b--c',
    'A--b--c--d',
    'a--b--c--',
    'a--b--c--d%2Fe',
    `a--b--c--${'d'.repeat(300)}`,
    '__proto__',
  ])
    assert.ok([400, 404].includes((await put(server, 'x', {}, id)).status), id)
  assert.equal((await server.send('GET', '/api/v1/files/a--b--c--d/e')).status, 400)
  const wrong = await put(server, 'x', { 'x-file-checksum': checksum('y') })
  assert.equal(wrong.status, 422)
  assert.equal(wrong.json.details.causes[0].field, 'X-File-Checksum')
  assert.equal((await put(server, 'x', { 'x-file-content-type': 'nonsense' })).status, 422)
  assert.equal((await server.send('PUT', `/api/v1/files/${ID}`, { body: 'x' })).status, 422)
  assert.equal((await server.send('GET', `/api/v1/files/${ID}`)).status, 404)
  assert.equal((await server.send('DELETE', `/api/v1/files/${ID}`)).status, 404)
  const posted = await server.send('POST', `/api/v1/files/${ID}`)
  assert.deepEqual([posted.status, posted.headers.allow], [405, 'GET, HEAD, PUT, DELETE'])
  assert.equal((await put(server, 'x', { authorization: 'Bearer no' })).status, 401)
  assert.equal(chunks(server), 0)
})

test('nobody writes the description of a file but the server', async (t) => {
  const server = await open(t)
  const body = {
    apiVersion: 'files.cp.ei.vendor.de/v1',
    kind: 'File',
    metadata: { name: 'x' },
    spec: { checksum: checksum('x'), contentType: 'a/b', size: 1 },
  }
  const answer = await server.send('POST', '/apis/files.cp.ei.vendor.de/v1/namespaces/poc--eni--hyperion/files', {
    body,
  })
  assert.equal(answer.status, 403)
})

test('the bytes go with the file, however it is deleted', async (t) => {
  const server = await open(t)
  const settled = (): Promise<void> => (server.registry as unknown as { settled(): Promise<void> }).settled()
  await put(server, 'x')
  assert.equal((await server.send('DELETE', `/api/v1/files/${ID}`)).status, 204)
  await settled()
  assert.equal(chunks(server), 0)
  await put(server, 'x')
  await server.send('DELETE', '/apis/files.cp.ei.vendor.de/v1/namespaces/poc--eni--hyperion/files/eni-foo-v1')
  await put(server, 'x')
  await settled()
  assert.equal((await server.send('GET', `/api/v1/files/${ID}`)).text, 'x', 'stored again in the meantime')
})

test('bytes without a file are removed at the next start', async () => {
  const store = openMemoryStore()
  const value = Buffer.from('x')
  const key = `file:a--b--c/d/${checksum('x').replaceAll('/', '_')}/0000`
  await store.transact([{ type: 'put', key, expect: 'any', encode: () => value }])
  const registry = createRegistry({ store, kinds: KINDS, secretKey: new Uint8Array(32) })
  await registry.settled()
  assert.equal(store.count('file:'), 0)
  await registry.close()
})

test('of two writers at once one wins, and the bytes are its own', async (t) => {
  const server = await open(t)
  const bodies = Array.from({ length: 8 }, (_, i) => Buffer.alloc(700_000, String(i)))
  const answers = await Promise.all(bodies.map((body) => put(server, body)))
  assert.ok(answers.some(({ status }) => status === 200))
  const got = await server.send('GET', `/api/v1/files/${ID}`)
  assert.equal(got.headers['x-file-checksum'], checksum(got.text))
  assert.equal(chunks(server), 2)
})
