import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { decodeTrusted } from '#lib/json.ts'
import { asAlice, body, eventType, fixture, refusal, sent, textOf } from './fixture.ts'

describe('create', () => {
  it('stamps what the server owns and ignores what a client sends there', async () => {
    const { registry } = fixture()
    const metadata = {
      uid: 'mine',
      generation: 7,
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
      selfLink: '/x',
      managedFields: [],
    }
    const written = await registry.create(
      EventType,
      'default',
      body(eventType('a', { metadata, status: { active: true } })),
      asAlice,
    )
    const { uid, managedFields, ...rest } = written.resource.metadata
    assert.equal(managedFields?.length, 1)
    assert.match(uid ?? '', /^[0-9a-f-]{36}$/)
    assert.deepEqual(rest, {
      name: 'a',
      namespace: 'default',
      resourceVersion: String(written.revision),
      generation: 1,
      creationTimestamp: '2030-01-02T03:04:05Z',
    })
    assert.deepEqual(written.resource.spec, { type: 'de.vendor.demo.v1', version: '1.0.0', category: 'other' })
    assert.equal(written.resource.status, undefined)
    assert.equal(written.created, true)
  })

  it('stores bytes that begin with apiVersion, kind, metadata and are what get answers', async () => {
    const { registry } = fixture()
    const written = await registry.create(EventType, 'default', body(eventType('a')), asAlice)
    assert.match(
      textOf(written.bytes),
      /^\{"apiVersion":"event.cp.ei.vendor.de\/v1","kind":"EventType","metadata":\{"name":"a","namespace":"default","uid":"/,
    )
    const read = registry.get(EventType, { namespace: 'default', name: 'a' })
    assert.equal(textOf(read.bytes), textOf(written.bytes))
    assert.deepEqual(read.resource, decodeTrusted(written.bytes))
  })

  it('makes the namespace in the same transaction and only once', async () => {
    const { registry } = fixture()
    const [a, b] = await Promise.all(
      ['a', 'b'].map((name) => registry.create(EventType, 'fresh', body(eventType(name)), asAlice)),
    )
    const namespace = registry.get(Namespace, { namespace: '', name: 'fresh' })
    assert.equal(namespace.revision, Math.min(a!.revision, b!.revision))
    assert.deepEqual(namespace.resource.status, { phase: 'Active' })
    assert.equal(namespace.resource.metadata.labels?.['kubernetes.io/metadata.name'], 'fresh')
  })

  it('keeps 64-bit integers exactly', async () => {
    const { registry } = fixture()
    const text = JSON.stringify({
      apiVersion: 'rover.cp.ei.vendor.de/v1',
      kind: 'ApiSpecification',
      metadata: { name: 'big' },
      extra: 'N',
    }).replace('"N"', '9007199254740993')
    await registry.create(ApiSpecification, 'default', sent(text), asAlice)
    const read = registry.get(ApiSpecification, { namespace: 'default', name: 'big' })
    assert.match(textOf(read.bytes), /"extra":9007199254740993/)
    assert.equal((read.resource as unknown as { extra: bigint }).extra, 9007199254740993n)
  })

  it('keeps __proto__ as an ordinary field where unknown fields are kept', async () => {
    const { registry } = fixture()
    const text =
      '{"apiVersion":"rover.cp.ei.vendor.de/v1","kind":"ApiSpecification","metadata":{"name":"p"},"x":{"__proto__":{"y":1}}}'
    const written = await registry.create(ApiSpecification, 'default', sent(text), asAlice)
    assert.match(textOf(written.bytes), /"x":\{"__proto__":\{"y":1\}\}/)
    assert.equal(({} as { y?: unknown }).y, undefined)
  })

  it('generates a name that is free, and lets a given name win (§2.1)', async () => {
    const { registry } = fixture()
    const generated = await Promise.all(
      Array.from({ length: 50 }, () =>
        registry.create(EventType, 'n', body(eventType('', { metadata: { generateName: 'gen-' } })), asAlice),
      ),
    )
    const names = generated.map(({ resource }) => resource.metadata.name)
    assert.equal(new Set(names).size, 50)
    for (const name of names) assert.match(name, /^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    const both = await registry.create(
      EventType,
      'n',
      body(eventType('mine', { metadata: { generateName: 'gen-' } })),
      asAlice,
    )
    assert.equal(both.resource.metadata.name, 'mine')
  })

  it('sets the environment label from the namespace, whatever was sent', async () => {
    const { registry } = fixture()
    const metadata = { labels: { 'cp.ei.vendor.de/environment': 'other', app: 'x' } }
    const there = await registry.create(EventType, 'poc--group--team', body(eventType('a', { metadata })), asAlice)
    assert.deepEqual(there.resource.metadata.labels, { app: 'x', 'cp.ei.vendor.de/environment': 'poc' })
    const elsewhere = await registry.create(EventType, 'plain', body(eventType('a', { metadata })), asAlice)
    assert.equal(elsewhere.resource.metadata.labels?.['cp.ei.vendor.de/environment'], 'other')
  })

  it('stores nothing in a dry run, not even the namespace', async () => {
    const { registry, store } = fixture()
    const before = store.revision
    const answer = await registry.create(EventType, 'dry', body(eventType('a')), { ...asAlice, dryRun: true })
    assert.equal(answer.resource.metadata.name, 'a')
    assert.equal(answer.resource.metadata.resourceVersion || undefined, undefined)
    assert.equal(store.revision, before)
    await registry.create(EventType, 'dry', body(eventType('a')), asAlice)
    const again = await refusal(registry.create(EventType, 'dry', body(eventType('a')), { ...asAlice, dryRun: true }))
    assert.equal(again.reason, 'AlreadyExists')
  })
})

describe('fields nobody knows, or that came twice', () => {
  const value = eventType('a', { metadata: { bogusMeta: 1 }, spec: { bogus: 2 }, bogusRoot: 3 })
  const fields = [
    'duplicate field "spec.type"',
    'unknown field "metadata.bogusMeta"',
    'unknown field "bogusRoot"',
    'unknown field "spec.bogus"',
  ]

  it('Warn names them all and drops them', async () => {
    const { registry } = fixture()
    const written = await registry.create(EventType, 'd', body(value, ['spec.type']), asAlice)
    assert.deepEqual(
      written.warnings.filter((text) => text.includes(' field ')),
      fields,
    )
    assert.equal(textOf(written.bytes).includes('bogus'), false)
  })

  it('Strict refuses with 400 and names them all', async () => {
    const { registry } = fixture()
    const error = await refusal(
      registry.create(EventType, 'd', body(value, ['spec.type']), { ...asAlice, fieldValidation: 'Strict' }),
    )
    assert.equal(error.code, 400)
    assert.equal(
      error.message,
      `EventType in version "v1" cannot be handled as a EventType: strict decoding error: ${fields.join(', ')}`,
    )
  })

  it('Ignore says nothing', async () => {
    const { registry } = fixture()
    const written = await registry.create(EventType, 'd', body(value), { ...asAlice, fieldValidation: 'Ignore' })
    assert.deepEqual(
      written.warnings.filter((text) => text.includes(' field ')),
      [],
    )
  })
})

describe('what create refuses', () => {
  const long = 'a'.repeat(254)
  const many = Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`l${i}`, '']))
  const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'n', uid: 'u', controller: true }
  const cases: readonly (readonly [string, unknown, number, RegExp])[] = [
    ['a body that is no object', [], 400, /unrecognized/],
    ['no kind', { apiVersion: 'event.cp.ei.vendor.de/v1' }, 400, /Object 'Kind' is missing/],
    [
      'another apiVersion',
      { ...eventType('a'), apiVersion: 'event.cp.ei.vendor.de/v2' },
      400,
      /does not match the expected API version/,
    ],
    [
      'another kind',
      { ...eventType('a'), kind: 'EventConfig' },
      422,
      /kind: Invalid value: "EventConfig": must be EventType/,
    ],
    ['a kind in other letters', { ...eventType('a'), kind: 'eventtype' }, 422, /must be EventType/],
    ['metadata that is no object', { ...eventType('a'), metadata: 'x' }, 400, /metadata must be an object/],
    ['no name', eventType(''), 422, /metadata.name: Required value: name or generateName is required/],
    ['upper case in the name', eventType('Bad'), 422, /metadata.name: Invalid value: "Bad": a lowercase RFC 1123/],
    ['a slash in the name', eventType('a/b'), 422, /metadata.name/],
    ['two dots in the name', eventType('a..b'), 422, /metadata.name/],
    ['254 characters of name', eventType(long), 422, /no more than 253/],
    ['a bad generateName', eventType('', { metadata: { generateName: 'Bad_' } }), 422, /metadata.generateName/],
    [
      'another namespace',
      eventType('a', { metadata: { namespace: 'other' } }),
      400,
      /namespace of the provided object does not match/,
    ],
    ['a resourceVersion', eventType('a', { metadata: { resourceVersion: '1' } }), 400, /should not be set/],
    [
      'a label of another type',
      eventType('a', { metadata: { labels: { a: 1 } } }),
      400,
      /metadata.labels.a must be a string/,
    ],
    [
      'a bad label key',
      eventType('a', { metadata: { labels: { 'a b': 'x' } } }),
      422,
      /metadata.labels: Invalid value: "a b"/,
    ],
    [
      'a bad label value',
      eventType('a', { metadata: { labels: { a: 'not valid!' } } }),
      422,
      /metadata.labels: Invalid value: "not valid!"/,
    ],
    ['a label value of 64', eventType('a', { metadata: { labels: { a: 'x'.repeat(64) } } }), 422, /no more than 63/],
    [
      '257 labels',
      eventType('a', { metadata: { labels: many } }),
      422,
      /metadata.labels: Too many: 257: must have at most 256/,
    ],
    [
      'large annotations',
      eventType('a', { metadata: { annotations: { a: 'x'.repeat(262144) } } }),
      422,
      /metadata.annotations: Too long/,
    ],
    ['a bad finalizer', eventType('a', { metadata: { finalizers: ['not valid'] } }), 422, /metadata.finalizers/],
    [
      'an empty owner',
      eventType('a', { metadata: { ownerReferences: [{}] } }),
      422,
      /ownerReferences.uid: Invalid value: "": uid must not be empty/,
    ],
    [
      'two controllers',
      eventType('a', { metadata: { ownerReferences: [owner, { ...owner, uid: 'v' }] } }),
      422,
      /Only one reference can have Controller/,
    ],
    ['two errors at once', eventType('Bad', { spec: { version: 'x' } }), 422, /metadata.name.*spec.version/],
  ]
  for (const [what, value, code, message] of cases) {
    it(`${what}: ${code}`, async () => {
      const { registry, store } = fixture()
      const error = await refusal(registry.create(EventType, 'default', body(value), asAlice))
      assert.equal(error.code, code)
      assert.match(error.message, message)
      assert.equal(store.revision, 0)
    })
  }

  it('__proto__ as a label: 422, since it is no label key', async () => {
    const { registry } = fixture()
    const text = JSON.stringify(eventType('a')).replace('"name":"a"', '"name":"a","labels":{"__proto__":"x"}')
    assert.match(
      (await refusal(registry.create(EventType, 'd', sent(text), asAlice))).message,
      /"__proto__": name part/,
    )
  })

  it('a namespace that is no label: 422', async () => {
    const { registry } = fixture()
    for (const namespace of ['Bad', '..', 'a/b', 'a'.repeat(64)]) {
      assert.equal((await refusal(registry.create(EventType, namespace, body(eventType('a')), asAlice))).code, 422)
    }
  })

  it('a name that is taken: 409', async () => {
    const { registry } = fixture()
    await registry.create(EventType, 'default', body(eventType('a')), asAlice)
    const error = await refusal(registry.create(EventType, 'default', body(eventType('a')), asAlice))
    assert.equal(error.reason, 'AlreadyExists')
    assert.deepEqual(error.details, { name: 'a', group: 'event.cp.ei.vendor.de', kind: 'eventtypes' })
  })
})
