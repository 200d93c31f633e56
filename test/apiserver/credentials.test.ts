import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestServer } from '#test/support/server.ts'

const BASE = '/apis/application.cp.ei.vendor.de/v1/namespaces/demo--retail--post/applications'
const application = {
  apiVersion: 'application.cp.ei.vendor.de/v1',
  kind: 'Application',
  metadata: { name: 'mailer' },
  spec: {
    team: 'retail--post',
    teamEmail: 'post@retail.example',
    zone: { name: 'red', namespace: 'demo' },
    secret: 'a-Secret-0f-ours',
  },
}
const users = {
  owner: { name: 'olga', groups: ['team:retail--post'] },
  stranger: { name: 'sven', groups: ['team:retail--orders'] },
}
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

test('an application hands its secret to its own team and to administrators, and to nobody else', async (t) => {
  const log: string[] = []
  const server = await startTestServer(t, { users, log })
  const created = await server.send('POST', BASE, { body: application })
  assert.equal(created.status, 201, created.text)
  assert.doesNotMatch(created.text, /a-Secret-0f-ours/)

  const owner = await server.send('POST', `${BASE}/mailer/credentials`, as('owner'))
  assert.equal(owner.status, 200, owner.text)
  assert.equal(owner.json.kind, 'ApplicationCredentials')
  assert.equal(owner.json.clientSecret, 'a-Secret-0f-ours')
  assert.match(String(owner.headers['cache-control']), /no-store/)
  assert.equal((await server.send('POST', `${BASE}/mailer/credentials`)).status, 200)

  const stranger = await server.send('POST', `${BASE}/mailer/credentials`, as('stranger'))
  assert.equal(stranger.status, 403)
  assert.match(stranger.json.message, /only team retail--post may read its credentials/)
  assert.equal((await server.send('POST', `${BASE}/mailer/credentials`, as('nobody'))).status, 401)

  const audited = log.map((line) => JSON.parse(line)).filter((line) => line.resource?.endsWith('/credentials'))
  assert.deepEqual(
    audited.map((line) => [line.user, line.code]),
    [
      ['olga', 200],
      ['admin', 200],
      ['sven', 403],
    ],
  )
  assert.doesNotMatch(log.join(''), /a-Secret-0f-ours/)
})

test('credentials are asked for with POST, of applications that exist', async (t) => {
  const server = await startTestServer(t, { users })
  await server.send('POST', BASE, { body: application })
  const read = await server.send('GET', `${BASE}/mailer/credentials`)
  assert.equal(read.status, 405)
  assert.equal(read.headers.allow, 'POST')
  assert.equal((await server.send('POST', `${BASE}/nobody/credentials`)).status, 404)
  assert.equal((await server.send('POST', `${BASE}/mailer/secrets`)).status, 404)
})

test('a document may be pushed only by who may update the specification', async (t) => {
  const server = await startTestServer(t, { users })
  const path = '/apis/rover.cp.ei.vendor.de/v1/namespaces/demo--retail--post/apispecifications/eni-a-v1/document'
  const body = JSON.stringify({
    openapi: '3.0.0',
    info: { title: 'a', version: '1.0.0' },
    servers: [{ url: '/eni/a/v1' }],
  })
  const headers = { 'content-type': 'application/json' }
  const refused = await server.send('PUT', path, { body, headers: { ...headers, ...as('stranger').headers } })
  assert.equal(refused.status, 403, refused.text)
  assert.equal((await server.send('PUT', path, { body, headers })).status, 201)
})
