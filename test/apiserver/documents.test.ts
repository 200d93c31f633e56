import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { describe, it } from 'node:test'
import type { Document } from '#apiserver/documents/document.ts'
import { healthDocuments } from '#apiserver/documents/health.ts'
import { parseQuery } from '#apiserver/query.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { EVENT_TYPES, eventType, startTestServer } from '#test/support/server.ts'

const AGGREGATED = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`

describe('discovery', () => {
  it('leads from /api and /apis to every kind, by groups and all at once', async (t) => {
    const server = await startTestServer(t)
    const groups = (await server.send('GET', '/apis')).json.groups as { name: string }[]
    const walked: string[] = []
    for (const path of ['/api/v1', ...groups.map(({ name }) => `/apis/${name}/v1`)]) {
      const { json } = await server.send('GET', path)
      assert.equal(json.kind, 'APIResourceList')
      for (const r of json.resources) walked.push(`${path} ${r.kind} ${r.name}`)
    }
    for (const version of ['v2', 'v2beta1']) {
      const atOnce: string[] = []
      for (const path of ['/api', '/apis']) {
        const { json, headers } = await server.send('GET', path, { headers: { accept: AGGREGATED(version) } })
        assert.equal(headers['content-type'], AGGREGATED(version))
        assert.equal(json.apiVersion, `apidiscovery.k8s.io/${version}`)
        for (const group of json.items) {
          const base = group.metadata.name === '' ? '/api/v1' : `/apis/${group.metadata.name}/v1`
          for (const r of group.versions[0].resources) {
            atOnce.push(`${base} ${r.responseKind.kind} ${r.resource}`)
            for (const s of r.subresources ?? [])
              atOnce.push(`${base} ${r.responseKind.kind} ${r.resource}/${s.subresource}`)
          }
        }
      }
      assert.deepEqual(atOnce, walked)
    }
    const kinds = new Set(walked.map((line) => line.split(' ')[1]))
    assert.deepEqual(
      KINDS.filter((kind) => !kinds.has(kind.kind)),
      [],
    )
  })

  it('is not sent twice to a caller that has it', async (t) => {
    const server = await startTestServer(t)
    const first = await server.send('GET', '/apis', { headers: { accept: AGGREGATED('v2') } })
    const headers = { accept: AGGREGATED('v2'), 'if-none-match': String(first.headers.etag) }
    const second = await server.send('GET', '/apis', { headers })
    assert.deepEqual([second.status, second.text], [304, ''])
  })
})

describe('health', () => {
  it('is said in one word, with ?verbose check by check, to anybody', async (t) => {
    const server = await startTestServer(t)
    const headers = { authorization: '' }
    for (const [name, checks] of [
      ['livez', '[+]ping ok\n'],
      ['readyz', '[+]ping ok\n[+]shutdown ok\n'],
      ['healthz', '[+]ping ok\n[+]shutdown ok\n'],
    ]) {
      assert.equal((await server.send('GET', `/${name}`, { headers })).text, 'ok')
      const { status, text } = await server.send('GET', `/${name}?verbose`, { headers })
      assert.deepEqual([status, text], [200, `${checks}${name} check passed\n`])
    }
  })

  it('of a server that stops is bad for whoever asks if it is ready, not if it is alive', async () => {
    const documents = healthDocuments(() => 'the server is stopping')
    assert.deepEqual(await ask(documents, '/readyz', ''), [503, 'the server is stopping'])
    const failed = '[+]ping ok\n[-]shutdown failed: the server is stopping\nreadyz check failed\n'
    assert.deepEqual(await ask(documents, '/readyz', 'verbose'), [503, failed])
    assert.deepEqual(await ask(documents, '/livez', 'verbose'), [200, '[+]ping ok\nlivez check passed\n'])
  })

  /** Nobody gets a new connection to a server that stops, so the document is asked without one. */
  async function ask(documents: Map<string, Document>, path: string, query: string): Promise<[number, string]> {
    const request = new IncomingMessage(new Socket())
    const response = new ServerResponse(request)
    const [near, far] = duplexPair()
    response.assignSocket(near as Socket)
    const user = { name: 'nobody', groups: [] }
    await documents.get(path)?.serve({ request, response, path, query: parseQuery(query), user }, undefined as never)
    near.end()
    const text = Buffer.concat(await far.toArray()).toString()
    return [response.statusCode, text.slice(text.indexOf('\r\n\r\n') + 4)]
  }
})

describe('the category all', () => {
  it('has the kinds people write, but neither derived ones nor those of every cluster', async (t) => {
    const server = await startTestServer(t)
    const all: string[] = []
    for (const path of ['/api', '/apis']) {
      const { json } = await server.send('GET', path, { headers: { accept: AGGREGATED('v2') } })
      for (const group of json.items)
        for (const r of group.versions[0].resources) if (r.categories?.includes('all')) all.push(r.responseKind.kind)
    }
    for (const kind of ['Rover', 'Zone', 'EventType', 'EventSubscription', 'ApprovalRequest'])
      assert.ok(all.includes(kind), kind)
    for (const kind of ['Route', 'Subscriber', 'Client', 'Event', 'Namespace', 'CustomResourceDefinition'])
      assert.ok(!all.includes(kind), kind)
  })
})

describe('/version', () => {
  it('says which Kubernetes this is like, so that kubectl chooses a client that fits', async (t) => {
    const server = await startTestServer(t)
    const { json } = await server.send('GET', '/version')
    assert.deepEqual([json.major, json.minor], ['1', '32'])
    assert.match(json.gitVersion, /^v1\.32\.\d+\+stellwerk-/)
  })
})

describe('OpenAPI', () => {
  it('version 3 lists documents whose addresses change with their content', async (t) => {
    const server = await startTestServer(t)
    const { paths } = (await server.send('GET', '/openapi/v3')).json
    const address: string = paths['apis/event.cp.ei.vendor.de/v1'].serverRelativeURL
    const answer = await server.send('GET', address)
    assert.match(address, /\?hash=[0-9A-F]{32}$/)
    assert.match(String(answer.headers['cache-control']), /immutable/)
    const again = await server.send('GET', address, { headers: { 'if-none-match': String(answer.headers.etag) } })
    assert.equal(again.status, 304)
  })

  it('version 3 has every reference it uses and the parameters kubectl looks for', async (t) => {
    const server = await startTestServer(t)
    const { paths } = (await server.send('GET', '/openapi/v3')).json
    for (const { serverRelativeURL } of Object.values<{ serverRelativeURL: string }>(paths)) {
      const { json, text } = await server.send('GET', serverRelativeURL)
      const missing = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].filter(
        ([, name = '']) => !(name in json.components.schemas),
      )
      assert.deepEqual(
        missing.map(([, name]) => name),
        [],
      )
    }
    const { json } = await server.send('GET', '/openapi/v3/apis/event.cp.ei.vendor.de/v1')
    const { patch, put } = json.paths[`${EVENT_TYPES.replace('tests', '{namespace}')}/{name}`]
    const names = (operation: { parameters: { name: string }[] }) => operation.parameters.map((p) => p.name)
    assert.deepEqual(names(patch), ['dryRun', 'fieldManager', 'fieldValidation', 'force'])
    assert.deepEqual(names(put), ['dryRun', 'fieldManager', 'fieldValidation'])
    assert.equal(patch['x-kubernetes-group-version-kind'].kind, 'EventType')
  })

  it('has the fields of an event, beside its metadata', async (t) => {
    const server = await startTestServer(t)
    const { json } = await server.send('GET', '/openapi/v3/api/v1')
    const { properties } = json.components.schemas['io.k8s.api.core.v1.Event']
    assert.equal(properties.spec, undefined)
    assert.equal(properties.involvedObject.properties.name.type, 'string')
    assert.deepEqual([properties.lastTimestamp.format, properties.count.type], ['date-time', 'integer'])
    const { text } = await server.send('GET', '/openapi/v2')
    for (const field of ['involvedObject', 'lastTimestamp', 'reportingComponent'])
      assert.ok(text.includes(field), field)
  })

  it('version 2 is protobuf under a type Go can parse', async (t) => {
    const server = await startTestServer(t)
    const answer = await server.send('GET', '/openapi/v2', {
      headers: { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' },
    })
    assert.equal(answer.status, 200)
    assert.ok(!String(answer.headers['content-type']).includes('@'))
    assert.ok(answer.text.includes('de.vendor.ei.cp.event.v1.EventType'))
  })
})

describe('/metrics', () => {
  it('counts requests by verb, kind and code, and says what is stored', async (t) => {
    const server = await startTestServer(t)
    await server.send('POST', EVENT_TYPES, { body: eventType('a') })
    await server.send('POST', EVENT_TYPES, { body: eventType('a') })
    await server.send('GET', '/nope')
    const { text } = await server.send('GET', '/metrics')
    assert.match(text, /requests_total\{verb="create",kind="eventtypes",code="201"\} 1/)
    assert.match(text, /requests_total\{verb="create",kind="eventtypes",code="409"\} 1/)
    assert.match(text, /requests_total\{verb="other",kind="",code="404"\} 1/)
    assert.match(text, /request_duration_seconds_count\{verb="create",kind="eventtypes"\} 2/)
    assert.match(text, /stellwerk_store_objects\{kind="eventtypes"\} 1/)
    assert.match(text, new RegExp(`stellwerk_store_revision ${server.registry.revision}\n`))
    assert.match(text, /nodejs_eventloop_lag_p99_seconds/)
  })

  it('says only what is asked for by name, and nothing about names nobody knows', async (t) => {
    const server = await startTestServer(t)
    await server.send('POST', EVENT_TYPES, { body: eventType('a') })
    const names = ['stellwerk_store_objects', 'stellwerk_store_revision', 'stellwerk_store_revision', '__proto__', 'x']
    const { text, status } = await server.send('GET', `/metrics?${names.map((n) => `name[]=${n}`).join('&')}`)
    assert.equal(status, 200)
    assert.match(text, /stellwerk_store_objects\{kind="eventtypes"\} 1\n/)
    assert.deepEqual(
      [...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]),
      ['stellwerk_store_objects', 'stellwerk_store_revision'],
    )
  })
})
