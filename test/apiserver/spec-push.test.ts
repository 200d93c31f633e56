import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { File } from '#domain/kinds/files/file.ts'
import { type Answer, startTestServer, TOKEN, type TestServer } from '#test/support/server.ts'

const NS = 'poc--eni--hyperion'
const path = (name = 'eni-foo-v1', namespace = NS): string =>
  `/apis/rover.cp.ei.vendor.de/v1/namespaces/${namespace}/apispecifications/${name}/document`
const document = (more: object = {}): object => ({
  openapi: '3.0.3',
  info: { title: 'Foo', version: '1.4.0', 'x-vendor': true },
  servers: [{ url: 'https://api.example.com/eni/foo/v1' }],
  components: {
    securitySchemes: { a: { type: 'oauth2', flows: { clientCredentials: { scopes: { read: '', write: '' } } } } },
  },
  ...more,
})
const push = (server: TestServer, body: object | string, where = path(), headers: object = {}): Promise<Answer> =>
  server.send('PUT', where, { body, headers: { ...headers } })
const sha = (text: string): string => createHash('sha256').update(text).digest('base64')
const open = (t: TestContext): Promise<TestServer> => startTestServer(t)

test('9: an upload stores the document and registers what it says', async (t) => {
  const server = await open(t)
  const answer = await push(server, document())
  assert.equal(answer.status, 201)
  assert.deepEqual(answer.json.spec, {
    basepath: '/eni/foo/v1',
    category: 'other',
    hash: sha(JSON.stringify(document())),
    scopes: ['read', 'write'],
    specification: `${NS}--eni-foo-v1`,
    version: '1.4.0',
    xvendor: true,
  })
  const file = await server.send('GET', `/api/v1/files/${NS}--eni-foo-v1`)
  assert.equal(file.text, JSON.stringify(document()))
  assert.equal(file.headers['x-file-checksum'], answer.json.spec.hash)
  assert.equal(file.headers['x-file-content-type'], 'application/json')
})

test('9: the same document again changes nothing; another one changes both in one write', async (t) => {
  const server = await open(t)
  const first = await push(server, document())
  const { revision } = server.registry
  const again = await push(server, document())
  assert.deepEqual([again.status, again.json.metadata.resourceVersion], [200, first.json.metadata.resourceVersion])
  assert.equal(server.registry.revision, revision)
  const next = await push(server, document({ info: { version: '1.5.0' }, components: {} }))
  assert.equal(server.registry.revision, revision + 1, 'one transaction')
  assert.deepEqual([next.status, next.json.spec.version, next.json.spec.scopes], [200, '1.5.0', undefined])
  assert.equal(next.json.spec.xvendor, false)
  const stored = server.registry.get(File, { namespace: NS, name: 'eni-foo-v1' }).resource.spec as { checksum: string }
  assert.equal(stored.checksum, next.json.spec.hash)
})

test('what people added to a specification stays, the result of the last check does not', async (t) => {
  const server = await open(t)
  const { json } = await push(server, document())
  json.metadata.labels = { ...json.metadata.labels, mine: 'yes' }
  json.spec = { ...json.spec, note: 'mine', lint: { passed: false } }
  const collection = path().replace('/document', '')
  assert.equal((await server.send('PUT', collection, { body: json })).status, 200)
  const next = await push(server, document({ info: { version: '1.5.0' } }))
  assert.deepEqual(
    [next.json.spec.note, next.json.spec.lint, next.json.metadata.labels.mine],
    ['mine', undefined, 'yes'],
  )
})

test('a lost file is stored again', async (t) => {
  const server = await open(t)
  await push(server, document())
  await server.send('DELETE', `/api/v1/files/${NS}--eni-foo-v1`)
  assert.equal((await push(server, document())).status, 200)
  assert.equal((await server.send('GET', `/api/v1/files/${NS}--eni-foo-v1`)).status, 200)
})

test('10: what is wrong is said, with the place, and nothing is stored', async (t) => {
  const server = await open(t)
  const refused = async (body: object | string, code: number, field?: string, where = path()): Promise<void> => {
    const answer = await push(server, body, where)
    assert.equal(answer.status, code, answer.text)
    assert.equal(answer.json.kind, 'Status')
    assert.equal(answer.json.details?.causes?.[0]?.field, field)
  }
  await refused(document({ servers: [] }), 422, 'servers[0]')
  await refused(document({ servers: [{ url: 'https://api.example.com' }] }), 422, 'servers[0].url')
  await refused(document({ info: { version: 'one' } }), 422, 'info.version')
  await refused({ swagger: '1.2' }, 400)
  await refused(document(), 400, undefined, path('other-v1'))
  await refused('{', 400)
  await refused('', 400)
  await refused(document(), 400, undefined, path('eni-foo-v1', 'default'))
  assert.equal((await push(server, document(), path(), { authorization: 'Bearer no' })).status, 401)
  assert.equal((await server.send('GET', path())).status, 405)
  assert.equal(server.store.count('file:'), 0)
  assert.equal((await server.registry.list(ApiSpecification, {})).items.length, 0)
})

test('10: an underscore in a base path is a hyphen in the name', async (t) => {
  const server = await open(t)
  const odd = document({ servers: [{ url: '/eni/my_api/v1' }] })
  const elsewhere = await push(server, odd, path('eni-my_api-v1'))
  assert.equal(elsewhere.status, 400)
  assert.match(elsewhere.json.message, /belongs to ApiSpecification eni-my-api-v1, .*: send it to eni-my-api-v1, or/)
  const answer = await push(server, odd, path('eni-my-api-v1'))
  assert.deepEqual([answer.status, answer.json.spec?.basepath], [201, '/eni/my_api/v1'], answer.text)
  const other = await push(server, document({ servers: [{ url: '/eni/my-api/v1' }] }), path('eni-my-api-v1'))
  assert.equal(other.status, 200, other.text)
  assert.match(String(other.headers['warning']), /described \\"\/eni\/my_api\/v1\\" until now and no longer does/)
})

test('10: what a name or a namespace cannot be is said together with what to do', async (t) => {
  const server = await open(t)
  for (const basepath of ['/eni/föö/v1', '/eni/../v1', '/eni/f%6Fo/v1']) {
    const answer = await push(server, document({ servers: [{ url: basepath }] }), path('eni-foo-v1'))
    assert.deepEqual([answer.status, /makes no name: use letters/.test(answer.json.message)], [400, true], answer.text)
  }
  const answer = await push(server, document(), path('eni-foo-v1', 'default'))
  assert.equal(answer.status, 400)
  assert.match(answer.json.message, /namespace default is not that of a team.*<env>--<group>--<team>/)
})

test('many aliases are a limit and no attack', async (t) => {
  const server = await open(t)
  const many = (count: number): string =>
    `openapi: 3.0.0\ninfo: {version: 1.0.0}\nservers: [{url: /eni/foo/v1}]\nx: &s {a: words}\n${Array.from({ length: count }, (_, i) => `y-alias-number-${i}: *s\n`).join('')}`
  const answer = await push(server, many(2000))
  assert.equal(answer.status, 400)
  assert.match(
    answer.json.message,
    /uses YAML aliases more than 1000 times.*: write parts of it out, or send it as JSON/,
  )
  assert.equal((await push(server, many(900))).status, 201)
})

test('aliases inside aliases are a limit of every YAML body', async (t) => {
  const server = await open(t)
  const level = (i: number): string =>
    `a${i}: &a${i} [${Array(10)
      .fill(`*a${i - 1}`)
      .join()}]\n`
  const body = `a0: &a0 [x]\n${[1, 2, 3, 4].map(level).join('')}`
  const headers = { 'content-type': 'application/yaml' }
  const answer = await server.send('POST', path().replace(/\/eni-foo-v1.*/, ''), { body, headers })
  assert.equal(answer.status, 400)
  assert.match(answer.json.message, /^the request body uses YAML aliases more than 100 times.*or send it as JSON$/)
})

test('a rejected document leaves the stored one as it is, and a dry run stores nothing', async (t) => {
  const server = await open(t)
  const dry = await push(server, document(), `${path()}?dryRun=All`)
  assert.deepEqual([dry.status, server.store.count('file:')], [201, 0])
  await push(server, document())
  const before = server.registry.revision
  await push(server, document({ servers: [{ url: '/eni/other/v1' }] }))
  await push(server, document({ info: { version: '9.9.9' } }), `${path()}?dryRun=All`)
  assert.equal(server.registry.revision, before)
})

test('advice comes as warnings', async (t) => {
  const server = await open(t)
  const answer = await push(server, document({ info: { version: '3.0.0' } }))
  assert.equal(answer.status, 201)
  assert.match(String(answer.headers['warning']), /does not end in/)
})

test('eleven megabytes are refused, ten are not', { timeout: 60_000 }, async (t) => {
  const server = await open(t)
  const fill = (bytes: number): string => JSON.stringify(document({ 'x-fill': 'x'.repeat(bytes) }))
  assert.equal((await push(server, fill(11 * 1024 * 1024))).status, 413)
  assert.equal((await push(server, fill(10_000_000))).status, 201)
})

test('of many uploads at once the last one counted is whole', async (t) => {
  const server = await open(t)
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => push(server, document({ info: { version: `1.${i}.0` } }))),
  )
  assert.ok(answers.some(({ status }) => status < 300))
  assert.ok(answers.every(({ status }) => status < 300 || status === 409))
  const { json } = await server.send('GET', path().replace('/document', ''))
  const file = await server.send('GET', `/api/v1/files/${NS}--eni-foo-v1`)
  assert.equal(json.spec.hash, sha(file.text))
  assert.equal(JSON.parse(file.text).info.version, json.spec.version)
})

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const LAUNCHER = join(import.meta.dirname, '..', '..', 'stellwerk')

const run = (args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(LAUNCHER, args, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })

test('stellwerk spec push registers a file', { timeout: 60_000 }, async (t) => {
  const server = await open(t)
  const folder = mkdtempSync(join(tmpdir(), 'spec-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const kubeconfig = join(folder, 'kubeconfig')
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: server.url } }],
    users: [{ name: 'u', user: { token: TOKEN } }],
  }
  writeFileSync(kubeconfig, JSON.stringify(config))
  const file = join(folder, 'petstore.yaml')
  writeFileSync(file, 'openapi: 3.0.0\ninfo: {version: 2.0.0}\nservers: [{url: "https://x.example/eni/pets/v1"}]\n')
  const args = ['spec', 'push', file, '--namespace', NS, '--kubeconfig', kubeconfig]
  const first = await run(args)
  assert.deepEqual([first.code, first.stdout], [0, `apispecification ${NS}/eni-pets-v1 created\n`])
  assert.match(first.stderr, /^Warning: .*does not end in/)
  assert.equal((await run(args)).code, 0)
  writeFileSync(file, 'openapi: 3.0.0\ninfo: {version: 1.0.0}\nservers: [{url: /eni/my_api/v1}]\n')
  assert.equal((await run(args)).stdout, `apispecification ${NS}/eni-my-api-v1 created\n`)
  writeFileSync(file, 'openapi: 3.0.0\ninfo: {version: 1.0.0}\nservers: [{url: /eni/föö/v1}]\n')
  assert.match((await run(args)).stderr, /petstore\.yaml: the base path "\/eni\/föö\/v1" makes no name: use letters/)
  writeFileSync(file, 'openapi: 3.0.0\n')
  const broken = await run(args)
  assert.equal(broken.code, 1)
  assert.match(broken.stderr, /servers\[0\]/)
  const missing = await run(['spec', 'push', join(folder, 'none.yaml'), '-n', NS, '--kubeconfig', kubeconfig])
  assert.match(missing.stderr, /there is no such file/)
  const lost = await run(['spec', 'push', file, '-n', NS, '--kubeconfig', join(folder, 'none')])
  assert.deepEqual([lost.code, /cannot be read/.test(lost.stderr)], [1, true])
})

const CATEGORIES = '/apis/api.cp.ei.vendor.de/v1/namespaces/poc/apicategories'
const category = (labelValue: string, spec: object = {}): object => ({
  apiVersion: 'api.cp.ei.vendor.de/v1',
  kind: 'ApiCategory',
  metadata: { name: labelValue },
  spec: { labelValue, active: true, ...spec },
})

test('6: a category that is unknown or asleep is a warning at once, never a refusal', async (t) => {
  const server = await open(t)
  assert.equal((await push(server, document())).headers['warning'], undefined, 'no categories, no rules')
  await server.send('POST', CATEGORIES, { body: category('internal') })
  await server.send('POST', CATEGORIES, { body: category('old', { active: false }) })
  const odd = await push(server, document({ info: { title: 'x', version: '1.5.0', 'x-api-category': 'public' } }))
  assert.equal(odd.status, 200, odd.text)
  assert.match(String(odd.headers['warning']), /category \\"public\\" does not exist: use one of internal/)
  const asleep = await push(server, document({ info: { title: 'x', version: '1.6.0', 'x-api-category': 'Old' } }))
  assert.match(String(asleep.headers['warning']), /category old is not active/)
  await server.send('DELETE', `${CATEGORIES}/internal`)
  const none = await push(server, document({ info: { title: 'x', version: '1.7.0', 'x-api-category': 'public' } }))
  assert.match(String(none.headers['warning']), /does not exist, and none is active: create it, or activate one/)
})

test('11: a category that asks for a check gets one, as a result and as warnings', async (t) => {
  const server = await open(t)
  const linting = { ruleset: 'ours', mode: 'Block', whitelistedBasepaths: ['/eni/free/v1'] }
  await server.send('POST', CATEGORIES, { body: category('other', { linting }) })
  const sloppy = await push(server, document({ paths: { '/a': { get: { operationId: 'a' } } } }))
  assert.equal(sloppy.status, 201, sloppy.text)
  const message = 'info.description is missing; GET /a has no summary, no responses'
  assert.deepEqual(sloppy.json.spec.lint, { passed: false, message })
  assert.match(String(sloppy.headers['warning']), /GET \/a has no summary, no responses/)
  const get = { operationId: 'a', summary: 'A', responses: { 200: { description: 'ok' } } }
  const info = { title: 'Foo', description: 'All about foo.', version: '1.4.1' }
  const tidy = await push(server, document({ info, paths: { '/a': { get } } }))
  assert.deepEqual(tidy.json.spec.lint, { passed: true })
  assert.equal(tidy.headers['warning'], undefined)
  const free = document({ servers: [{ url: '/eni/free/v1' }] })
  const spared = await push(server, free, path('eni-free-v1'))
  assert.deepEqual(spared.json.spec.lint, { passed: true })
})
