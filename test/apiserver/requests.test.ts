import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EVENT_TYPES, eventType, startTestServer, type Answer } from '#test/support/server.ts'

const LIST = '/apis/event.cp.ei.vendor.de/v1/eventtypes'

/** What a Status says: code, reason and the fields it complains about. */
function gist({ status, json }: Answer): unknown[] {
  const causes = (json.details?.causes ?? []) as { field: string }[]
  return [status, json.reason, causes.map((cause) => cause.field)]
}

describe('a parameter', () => {
  const refused: Record<string, [method: string, path: string, code: number, field: string | undefined]> = {
    'dryRun with another value': ['POST', `${EVENT_TYPES}?dryRun=Some`, 422, 'dryRun'],
    'dryRun with two values': ['POST', `${EVENT_TYPES}?dryRun=All&dryRun=None`, 422, 'dryRun'],
    'an unknown fieldValidation': ['POST', `${EVENT_TYPES}?fieldValidation=Maybe`, 422, 'fieldValidation'],
    'a long fieldManager': ['POST', `${EVENT_TYPES}?fieldManager=${'m'.repeat(129)}`, 422, 'fieldManager'],
    'an unprintable fieldManager': ['POST', `${EVENT_TYPES}?fieldManager=a%07`, 422, 'fieldManager'],
    'an unknown resourceVersionMatch': [
      'GET',
      `${LIST}?resourceVersion=1&resourceVersionMatch=x`,
      422,
      'resourceVersionMatch',
    ],
    'force without apply': ['PATCH', `${EVENT_TYPES}/a?force=true`, 422, 'force'],
    'an unknown propagationPolicy': ['DELETE', `${EVENT_TYPES}/a?propagationPolicy=x`, 422, 'propagationPolicy'],
    'a limit that is no number': ['GET', `${LIST}?limit=ten`, 400, undefined],
    'a timeout that is no number': ['GET', `${LIST}?timeoutSeconds=1h`, 400, undefined],
    'a grace period that is no number': ['DELETE', `${EVENT_TYPES}/a?gracePeriodSeconds=x`, 400, undefined],
    'a version that is no number': ['GET', `${LIST}?resourceVersion=abc`, 400, undefined],
    'a version of a get that is no number': ['GET', `${EVENT_TYPES}/a?resourceVersion=-1`, 400, undefined],
    'a broken continue token': ['GET', `${LIST}?limit=1&continue=garbage`, 400, undefined],
    'a broken label selector': ['GET', `${LIST}?labelSelector=a%20in%20b`, 400, undefined],
    'an unsupported field selector': ['GET', `${LIST}?fieldSelector=spec.type%3Da`, 400, undefined],
    'the same in a watch': ['GET', `${LIST}?watch=1&fieldSelector=spec.type%3Da`, 400, undefined],
    'a broken escape': ['GET', `${LIST}?labelSelector=%zz`, 400, undefined],
    'an unknown includeObject': ['GET', `${LIST}?includeObject=x`, 400, undefined],
  }
  for (const [title, [method, path, code, field]] of Object.entries(refused)) {
    it(`${title} is refused with ${code}, and nothing is written`, async (t) => {
      const server = await startTestServer(t)
      await server.send('POST', EVENT_TYPES, { body: eventType('a') })
      const before = server.registry.revision
      const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: eventType('b') }
      const answer = await server.send(method, path, { headers, ...body })
      const reason = code === 422 ? 'Invalid' : 'BadRequest'
      assert.deepEqual(gist(answer), [code, reason, field === undefined ? [] : [field]])
      assert.equal(server.registry.revision, before)
    })
  }

  it('dryRun=All answers as if, and writes nothing', async (t) => {
    const server = await startTestServer(t)
    const answer = await server.send('POST', `${EVENT_TYPES}?dryRun=All`, { body: eventType('a') })
    assert.equal(answer.status, 201)
    assert.equal((await server.send('GET', `${EVENT_TYPES}/a`)).status, 404)
  })

  it('more than a hundred of them are refused', async (t) => {
    const server = await startTestServer(t)
    assert.equal((await server.send('GET', `${LIST}?${'a=b&'.repeat(101)}`)).status, 400)
  })
})

describe('the options of a delete', () => {
  it('count in the body too: kubectl puts dryRun there', async (t) => {
    const server = await startTestServer(t)
    await server.send('POST', EVENT_TYPES, { body: eventType('a') })
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] }
    assert.equal((await server.send('DELETE', `${EVENT_TYPES}/a`, { body })).status, 200)
    assert.equal((await server.send('GET', `${EVENT_TYPES}/a`)).status, 200)
    assert.equal((await server.send('DELETE', `${EVENT_TYPES}/a`)).json.status, 'Success')
    assert.equal((await server.send('GET', `${EVENT_TYPES}/a`)).status, 404)
  })

  const wrong: Record<string, [body: unknown, code: number]> = {
    'of another kind': [{ kind: 'ConfigMap', apiVersion: 'v1' }, 400],
    'that are a list': [[], 400],
    'with a dryRun that is no list': [{ dryRun: 'All' }, 400],
    'with an unknown dryRun': [{ dryRun: ['x'] }, 422],
    'with preconditions that are text': [{ preconditions: 'x' }, 400],
    'with another uid': [{ preconditions: { uid: 'other' } }, 409],
    'with another version': [{ preconditions: { resourceVersion: '999' } }, 409],
    'with two policies': [{ orphanDependents: true, propagationPolicy: 'Background' }, 422],
  }
  for (const [title, [body, code]] of Object.entries(wrong)) {
    it(`${title} are refused with ${code}`, async (t) => {
      const server = await startTestServer(t)
      await server.send('POST', EVENT_TYPES, { body: eventType('a') })
      assert.equal((await server.send('DELETE', `${EVENT_TYPES}/a`, { body: body as object })).status, code)
      assert.equal((await server.send('GET', `${EVENT_TYPES}/a`)).status, 200)
    })
  }
})

describe('a body', () => {
  const yaml =
    'apiVersion: event.cp.ei.vendor.de/v1\nkind: EventType\nmetadata: {name: y}\nspec: {type: a.b, version: "1"}\n'
  const cases: Record<string, [type: string | undefined, body: string, code: number]> = {
    'of YAML': ['application/yaml', yaml, 201],
    'without a type is read as JSON': [undefined, JSON.stringify(eventType('j')), 201],
    'with a charset': ['application/json; charset=utf-8', JSON.stringify(eventType('j')), 201],
    'of plain text': ['text/plain', '{}', 415],
    'of protobuf': ['application/vnd.kubernetes.protobuf', 'k8s\0', 415],
    'of half a JSON': ['application/json', '{"a":', 400],
    'that is empty': ['application/json', '', 400],
    'that is a list': ['application/json', '[]', 400],
    'with a number beyond a double': ['application/json', '{"a":1e400}', 400],
    'too deep': ['application/json', '['.repeat(100_000), 400],
    'of broken YAML': ['application/yaml', 'a: [', 400],
    'of two YAML documents': ['application/yaml', `${yaml}---\n${yaml}`, 400],
    'of YAML that explodes': ['application/yaml', bomb(), 400],
    'of deep YAML': ['application/yaml', '['.repeat(100_000), 400],
    'of YAML with infinity': ['application/yaml', yaml.replace('"1"', '.inf'), 400],
    'of large YAML': ['application/yaml', `a: ${'x'.repeat(300_000)}`, 413],
  }
  for (const [title, [type, body, code]] of Object.entries(cases)) {
    it(`${title} is answered with ${code}`, async (t) => {
      const server = await startTestServer(t)
      const answer = await server.send('POST', EVENT_TYPES, {
        body,
        headers: type === undefined ? {} : { 'content-type': type },
      })
      assert.equal(answer.status, code, answer.text)
      assert.equal(answer.json.kind, code === 201 ? 'EventType' : 'Status')
    })
  }

  it('keeps int64 and __proto__ exactly, in JSON and in YAML', async (t) => {
    const server = await startTestServer(t)
    const path = '/apis/rover.cp.ei.vendor.de/v1/namespaces/tests/apispecifications'
    const text = `{"apiVersion":"rover.cp.ei.vendor.de/v1","kind":"ApiSpecification","metadata":{"name":"a"},"x":9007199254740993,"__proto__":{"p":1}}`
    for (const [name, type] of [
      ['a', 'application/json'],
      ['b', 'application/yaml'],
    ] as const) {
      const body = text.replace('"a"', `"${name}"`)
      await server.send('POST', path, { body, headers: { 'content-type': type } })
      const answer = await server.send('GET', `${path}/${name}`)
      assert.match(answer.text, /"x":9007199254740993[,}]/)
      assert.match(answer.text, /"__proto__":\{"p":1\}/)
    }
  })

  it('beyond 3 MiB is refused with 413 before it is read, and the connection closes', async (t) => {
    const server = await startTestServer(t)
    const body = eventType('a', { description: 'x'.repeat(3 * 1024 * 1024) })
    const answer = await server.send('POST', EVENT_TYPES, { body, headers: { connection: 'keep-alive' } })
    assert.deepEqual(
      [answer.status, answer.json.reason, answer.headers.connection],
      [413, 'RequestEntityTooLarge', 'close'],
    )
    assert.equal((await server.send('GET', LIST)).status, 200)
  })

  it('in chunks beyond 3 MiB is refused with 413 too', async (t) => {
    const server = await startTestServer(t)
    const answer = await server.send('POST', EVENT_TYPES, {
      body: Buffer.alloc(4 * 1024 * 1024, 0x20),
      headers: { 'transfer-encoding': 'chunked', 'content-type': 'application/json' },
    })
    assert.equal(answer.status, 413)
  })
})

/** Each line doubles: a billion from thirty lines. */
function bomb(): string {
  const lines = ['a0: &a0 x']
  for (let i = 1; i < 30; i++) lines.push(`a${i}: &a${i} [*a${i - 1}, *a${i - 1}]`)
  return lines.join('\n')
}

describe('a patch', () => {
  const cases: Record<string, [type: string, body: unknown, code: number]> = {
    'of JSON operations': ['application/json-patch+json', [{ op: 'add', path: '/spec/description', value: 'd' }], 200],
    'to be merged': ['application/merge-patch+json', { spec: { description: 'd' } }, 200],
    'of the strategic kind': ['application/strategic-merge-patch+json', {}, 415],
    'of plain JSON': ['application/json', {}, 415],
  }
  for (const [title, [type, body, code]] of Object.entries(cases)) {
    it(`${title} is answered with ${code}`, async (t) => {
      const server = await startTestServer(t)
      await server.send('POST', EVENT_TYPES, { body: eventType('a') })
      const answer = await server.send('PATCH', `${EVENT_TYPES}/a`, {
        body: body as object,
        headers: { 'content-type': type },
      })
      assert.equal(answer.status, code)
      if (code === 200) assert.equal(answer.json.spec.description, 'd')
    })
  }
})

describe('a conflict', () => {
  it('is answered with 409 when the object exists or has changed', async (t) => {
    const server = await startTestServer(t)
    const { json } = await server.send('POST', EVENT_TYPES, { body: eventType('a') })
    assert.equal((await server.send('POST', EVENT_TYPES, { body: eventType('a') })).json.reason, 'AlreadyExists')
    const changed = { ...json, spec: { ...json.spec, description: 'd' } }
    assert.equal((await server.send('PUT', `${EVENT_TYPES}/a`, { body: changed })).status, 200)
    assert.equal((await server.send('PUT', `${EVENT_TYPES}/a`, { body: changed })).json.reason, 'Conflict')
  })

  it('in the schema is answered with 422 and every field', async (t) => {
    const server = await startTestServer(t)
    const answer = await server.send('POST', EVENT_TYPES, { body: eventType('a', { type: '', version: 'x' }) })
    assert.deepEqual(gist(answer), [422, 'Invalid', ['spec.type', 'spec.version']])
  })
})

describe('warnings', () => {
  it('about unknown fields come as headers that no content can break', async (t) => {
    const server = await startTestServer(t)
    const answer = await server.send('POST', EVENT_TYPES, { body: eventType('a', { 'b"\r\nX-Evil: 1 ü': 1 }) })
    assert.equal(answer.status, 201)
    assert.match(String(answer.headers['warning']), /^299 - "unknown field/)
    assert.equal(answer.headers['x-evil'], undefined)
  })
})

describe('what the caller accepts', () => {
  const views: Record<string, [accept: string, code: number, kind: string | undefined]> = {
    'a Table': ['application/json;as=Table;v=v1;g=meta.k8s.io', 200, 'Table'],
    'a Table first, JSON second': ['application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json', 200, 'Table'],
    'metadata only': ['application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 200, 'PartialObjectMetadata'],
    'protobuf or JSON': ['application/vnd.kubernetes.protobuf,application/json', 200, 'EventType'],
    'an unknown view or JSON': ['application/json;as=Nothing;v=v1;g=meta.k8s.io,application/json', 200, 'EventType'],
    'what it prefers': ['application/json;q=0.1,application/json;as=Table;v=v1;g=meta.k8s.io;q=0.9', 200, 'Table'],
    anything: ['*/*', 200, 'EventType'],
    'an unknown view': ['application/json;as=Nothing;v=v1;g=meta.k8s.io', 406, 'Status'],
    HTML: ['text/html', 406, 'Status'],
    protobuf: ['application/vnd.kubernetes.protobuf', 406, 'Status'],
  }
  for (const [title, [accept, code, kind]] of Object.entries(views)) {
    it(`${title} is answered with ${code}`, async (t) => {
      const server = await startTestServer(t)
      await server.send('POST', EVENT_TYPES, { body: eventType('a') })
      const answer = await server.send('GET', `${EVENT_TYPES}/a`, { headers: { accept } })
      assert.deepEqual([answer.status, answer.json.kind], [code, kind])
    })
  }

  it('is asked before anything is written', async (t) => {
    const server = await startTestServer(t)
    const answer = await server.send('POST', EVENT_TYPES, { body: eventType('a'), headers: { accept: 'text/html' } })
    assert.equal(answer.status, 406)
    assert.equal((await server.send('GET', `${EVENT_TYPES}/a`)).status, 404)
  })

  it('YAML is sent as YAML', async (t) => {
    const server = await startTestServer(t)
    await server.send('POST', EVENT_TYPES, { body: eventType('a') })
    const answer = await server.send('GET', `${EVENT_TYPES}/a`, { headers: { accept: 'application/yaml' } })
    assert.equal(answer.headers['content-type'], 'application/yaml')
    assert.match(answer.text, /^kind: EventType$/m)
  })
})
