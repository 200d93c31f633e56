import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adminToken, authenticate } from '#apiserver/authenticate.ts'
import { EVENT_TYPES, eventType, startTestServer, TOKEN } from '#test/support/server.ts'

describe('without a valid token', () => {
  for (const path of ['/version', '/healthz', '/livez', '/readyz']) {
    it(`${path} is answered`, async (t) => {
      const server = await startTestServer(t)
      assert.equal((await server.send('GET', path, { headers: { authorization: '' } })).status, 200)
    })
  }

  const closed = ['/', '/api', '/apis', '/metrics', '/openapi/v2', '/openapi/v3', EVENT_TYPES, '/nope', '/apis/%zz']
  for (const path of closed) {
    it(`${path} is refused with 401 and a Status`, async (t) => {
      const server = await startTestServer(t)
      for (const authorization of [
        '',
        'Bearer wrong',
        `Basic ${TOKEN}`,
        'Bearer',
        `Bearer ${TOKEN}x`,
        `Bearer ${TOKEN} x`,
      ]) {
        const answer = await server.send('GET', path, { headers: { authorization } })
        assert.deepEqual([answer.status, answer.json.reason], [401, 'Unauthorized'], `with "${authorization}"`)
        assert.equal(answer.headers['www-authenticate'], 'Bearer')
        assert.ok(!answer.text.includes(TOKEN))
      }
    })
  }

  it('nothing is written', async (t) => {
    const server = await startTestServer(t)
    const headers = { authorization: 'Bearer wrong' }
    assert.equal((await server.send('POST', EVENT_TYPES, { headers, body: eventType('a') })).status, 401)
    assert.equal(server.registry.revision, 0)
  })
})

describe('authentication', () => {
  it('asks one authenticator after the other', async () => {
    const user = await authenticate({ authorization: 'bearer b' }, [
      adminToken('a'),
      () => Promise.resolve({ name: 'bob', groups: [] }),
    ])
    assert.equal(user.name, 'bob')
  })

  it('refuses impersonation with 403 and says so', async (t) => {
    const server = await startTestServer(t)
    const answer = await server.send('GET', EVENT_TYPES, { headers: { 'impersonate-user': 'alice' } })
    assert.equal(answer.status, 403)
    assert.match(answer.json.message, /impersonat/)
  })
})

describe('a review of oneself', () => {
  const review = async (t: Parameters<typeof startTestServer>[0], path: string, kind: string, spec: object) => {
    const server = await startTestServer(t)
    const apiVersion = path.split('/').slice(2, 4).join('/')
    return server.send('POST', path, { body: { apiVersion, kind, spec } })
  }

  it('says what the administrator may do', async (t) => {
    const spec = { resourceAttributes: { verb: 'delete', group: 'event.cp.ei.vendor.de', resource: 'eventtypes' } }
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
    const { status, json } = await review(t, path, 'SelfSubjectAccessReview', spec)
    assert.deepEqual([status, json.status], [201, { allowed: true }])
  })

  it('says who one is', async (t) => {
    const { json } = await review(t, '/apis/authentication.k8s.io/v1/selfsubjectreviews', 'SelfSubjectReview', {})
    assert.equal(json.status.userInfo.username, 'admin')
  })

  it('refuses a body of another kind', async (t) => {
    const { status } = await review(t, '/apis/authentication.k8s.io/v1/selfsubjectreviews', 'Other', {})
    assert.equal(status, 400)
  })
})

describe('the audit line', () => {
  it('of a write says who did what and how it ended, and nothing of its content', async (t) => {
    const log: string[] = []
    const server = await startTestServer(t, { log })
    await server.send('POST', EVENT_TYPES, { body: eventType('a', { description: 'top-secret-text' }) })
    await server.send('POST', EVENT_TYPES, { body: eventType('a') })
    await server.send('GET', `${EVENT_TYPES}/a`)
    const lines = log
      .map((line) => JSON.parse(line))
      .map(({ user, verb, resource, object, code }) => ({ user, verb, resource, object, code }))
    const entry = { user: 'admin', verb: 'create', resource: 'eventtypes.event.cp.ei.vendor.de' }
    assert.deepEqual(lines, [
      { ...entry, object: 'tests/a', code: 201 },
      { ...entry, object: 'tests/', code: 409 },
    ])
    assert.ok(!log.join('').includes('top-secret-text'))
    assert.ok(!log.join('').includes(TOKEN))
  })
})
