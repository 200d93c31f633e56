import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causes, changed, full, KIND, type KindName } from './samples.ts'

const REF = { name: 'a', namespace: 'b' }
const PATTERN = { type: '^[a-z0-9]+([.-][a-z0-9]+)*$', version: '^\\d+.*$' }
const inBody = (value: string, path: string, complaint: string) =>
  `Invalid value: ${value}: ${path} in body ${complaint}`
const long = (n: number) => `/${'é'.repeat(n - 1)}`

/** kind, path, a value that is refused there, reason of the cause, its message; `field` when it differs from the path. */
type Refused = readonly [KindName, string, unknown, string, string, string?]

const req = (kind: KindName, ...paths: string[]): Refused[] =>
  paths.flatMap((path) => [
    [kind, path, undefined, 'Required', 'Required value'],
    [kind, path, null, 'Required', 'Required value'],
  ])
const type = (kind: KindName, path: string, value: unknown, [expected, is]: [string, string]): Refused => [
  kind,
  path,
  value,
  'TypeInvalid',
  inBody(`"${is}"`, path, `must be of type ${expected}: "${is}"`),
]
const noMatch = (kind: KindName, path: string, value: string, pattern: string): Refused => [
  kind,
  path,
  value,
  'Invalid',
  inBody(JSON.stringify(value), path, `should match '${pattern}'`), // prettier-ignore
]
const notOneOf = (kind: KindName, path: string, ...values: string[]): Refused => [
  kind,
  path,
  'Nope',
  'NotSupported',
  `Unsupported value: "Nope": supported values: ${values.map((v) => `"${v}"`).join(', ')}`, // prettier-ignore
]
const tooShort = (kind: KindName, path: string): Refused => [
  kind,
  path,
  '',
  'Invalid',
  inBody('""', path, 'should be at least 1 chars long'),
]
const noUri = (kind: KindName, path: string): Refused[] => [
  [kind, path, 'not a uri', 'TypeInvalid', inBody('"not a uri"', path, 'must be of type uri: "not a uri"')],
  type(kind, path, ['https://a'], ['string', 'array']),
]

const REFUSED: readonly Refused[] = [
  // §2.3
  ...req('ApiSpecification', 'spec.basepath', 'spec.hash', 'spec.specification', 'spec.version'),
  noMatch('ApiSpecification', 'spec.basepath', 'eni/v1', '^/.*$'),
  noMatch('ApiSpecification', 'spec.basepath', '/a\nb', '^/.*$'),
  ['ApiSpecification', 'spec.basepath', long(201), 'TooLong', 'Too long: may not be longer than 200'],
  noMatch('ApiSpecification', 'spec.version', 'v1', PATTERN.version),
  type('ApiSpecification', 'spec.category', 1, ['string', 'integer']),
  type('ApiSpecification', 'spec.hash', {}, ['string', 'object']),
  type('ApiSpecification', 'spec.scopes', 'read', ['array', 'string']),
  type('ApiSpecification', 'spec.scopes[0]', null, ['string', 'null']),
  type('ApiSpecification', 'spec.xvendor', 'true', ['boolean', 'string']),
  type('ApiSpecification', 'spec', 'oops', ['object', 'string']),
  ...req('ApiSpecification', 'status.api.name', 'status.api.namespace'),
  // §2.4
  ...req(
    'ApiSubscription',
    'spec.apiBasePath',
    'spec.requestor',
    'spec.requestor.application',
    'spec.traffic',
    'spec.zone',
  ),
  ...req(
    'ApiSubscription',
    'spec.requestor.application.name',
    'spec.requestor.application.namespace',
    'spec.zone.name',
  ),
  ...req('ApiSubscription', 'spec.traffic.failover.zone', 'spec.traffic.failover.zone[0].namespace'),
  ...req(
    'ApiSubscription',
    'spec.security.m2m.client.clientId',
    'status.route.name',
    'status.failoverRoutes[0].namespace',
  ),
  type('ApiSubscription', 'spec.organization', 1.5, ['string', 'number']),
  type('ApiSubscription', 'spec.traffic.failover.zone', REF, ['array', 'object']),
  type('ApiSubscription', 'spec.traffic.failover.zone[0]', 'gcp', ['object', 'string']),
  type('ApiSubscription', 'spec.security', [], ['object', 'array']),
  tooShort('ApiSubscription', 'spec.security.m2m.client.clientId'),
  [
    'ApiSubscription',
    'spec.security.m2m.scopes',
    Array(11).fill('s'),
    'TooMany',
    'Too many: 11: must have at most 10 items',
  ],
  // §2.5
  ...req(
    'EventConfig',
    'spec',
    'spec.zone',
    'spec.zone.name',
    'spec.zone.namespace',
    'spec.local.admin',
    'spec.local.admin.url',
  ),
  ...req('EventConfig', 'spec.local.publishEventUrl', 'spec.local.serverSendEventUrl', 'spec.mesh.client.realm.name'),
  ...req(
    'EventConfig',
    'status.adminClient.name',
    'status.meshClient.namespace',
    'status.meshClient.observedGeneration',
  ),
  ...noUri('EventConfig', 'spec.local.admin.url'),
  ...noUri('EventConfig', 'spec.local.publishEventUrl'),
  ...noUri('EventConfig', 'spec.local.serverSendEventUrl'),
  ...noUri('EventConfig', 'spec.local.voyagerApiUrl'),
  tooShort('EventConfig', 'spec.local.admin.url'),
  tooShort('EventConfig', 'spec.local.publishEventUrl'),
  tooShort('EventConfig', 'spec.local.serverSendEventUrl'),
  [
    'EventConfig',
    'spec.local.voyagerApiUrl',
    '',
    'TypeInvalid',
    inBody('""', 'spec.local.voyagerApiUrl', 'must be of type uri: ""'),
  ],
  type('EventConfig', 'spec.mesh.fullMesh', 'yes', ['boolean', 'string']),
  type('EventConfig', 'spec.mesh.zoneNames', 'gcp', ['array', 'string']),
  type('EventConfig', 'status.proxyCallbackUrls.gcp', 5, ['string', 'integer']),
  type('EventConfig', 'status.proxyCallbackUrls', [], ['object', 'array']),
  type('EventConfig', 'status.adminClient.observedGeneration', 1.5, ['integer', 'number']),
  type('EventConfig', 'status.adminClient.observedGeneration', 2n ** 63n, ['integer', 'number']),
  type('EventConfig', 'status.adminClient.observedGeneration', 2 ** 63, ['integer', 'number']),
  // §2.6
  ...req(
    'EventExposure',
    'spec',
    'spec.approval',
    'spec.eventType',
    'spec.provider',
    'spec.provider.name',
    'spec.provider.namespace',
    'spec.zone',
  ),
  ...req('EventExposure', 'spec.scopes[0].name', 'spec.scopes[0].trigger', 'status.active'),
  tooShort('EventExposure', 'spec.eventType'),
  noMatch('EventExposure', 'spec.eventType', 'De.vendor', PATTERN.type),
  noMatch('EventExposure', 'spec.eventType', 'a..b', PATTERN.type),
  noMatch('EventExposure', 'spec.eventType', 'a.b\n', PATTERN.type),
  notOneOf('EventExposure', 'spec.visibility', 'World', 'Zone', 'Enterprise'),
  notOneOf('EventExposure', 'spec.approval.strategy', 'Auto', 'Simple', 'FourEyes'),
  notOneOf('EventExposure', 'spec.scopes[0].trigger.responseFilter.mode', 'Include', 'Exclude'),
  tooShort('EventExposure', 'spec.scopes[0].name'),
  [
    'EventExposure',
    'spec.approval.trustedTeams',
    Array(11).fill('t'),
    'TooMany',
    'Too many: 11: must have at most 10 items',
  ],
  type('EventExposure', 'spec.scopes[0].trigger.selectionFilter.attributes.region', 1, ['string', 'integer']),
  type('EventExposure', 'spec.scopes[0].trigger.selectionFilter.expression', 'x', ['object', 'string']),
  type('EventExposure', 'spec.additionalPublisherIds[0]', true, ['string', 'boolean']),
  type('EventExposure', 'status.active', 1, ['boolean', 'integer']),
  type('EventExposure', 'status.sseUrls.a', false, ['string', 'boolean']),
  // §2.7
  ...req(
    'EventSubscription',
    'spec',
    'spec.delivery',
    'spec.eventType',
    'spec.requestor',
    'spec.requestor.name',
    'spec.zone',
  ),
  tooShort('EventSubscription', 'spec.eventType'),
  noMatch('EventSubscription', 'spec.eventType', '-a', PATTERN.type),
  ...noUri('EventSubscription', 'spec.delivery.callback'),
  ...noUri('EventSubscription', 'status.url'),
  notOneOf('EventSubscription', 'spec.delivery.type', 'Callback', 'ServerSentEvent'),
  notOneOf('EventSubscription', 'spec.delivery.payload', 'Data', 'DataRef'),
  type('EventSubscription', 'spec.delivery.circuitBreakerOptOut', 'no', ['boolean', 'string']),
  type('EventSubscription', 'spec.delivery.enforceGetHttpRequestMethodForHealthCheck', 0, ['boolean', 'integer']),
  type('EventSubscription', 'spec.delivery.eventRetentionTime', 7, ['string', 'integer']),
  type('EventSubscription', 'spec.delivery.redeliveriesPerSecond', 1.5, ['integer', 'number']),
  type('EventSubscription', 'spec.delivery.retryableStatusCodes[0]', '500', ['integer', 'string']),
  type('EventSubscription', 'spec.scopes[0]', 5, ['string', 'integer']),
  // §2.8
  ...req('EventType', 'spec', 'spec.type', 'spec.version', 'status.active'),
  noMatch('EventType', 'spec.category', 'Not_OK', '^[a-z]+$'),
  tooShort('EventType', 'spec.type'),
  noMatch('EventType', 'spec.type', 'a_b', PATTERN.type),
  ['EventType', 'spec.type', 'a'.repeat(254), 'TooLong', 'Too long: may not be longer than 253'],
  noMatch('EventType', 'spec.version', '', PATTERN.version),
  type('EventType', 'spec.description', 5, ['string', 'integer']),
  type('EventType', 'spec.specification', [], ['string', 'array']),
]

for (const [kind, path, value, reason, message] of REFUSED)
  test(`${kind} ${path} = ${shown(value)} is refused`, () => {
    const [cause, ...more] = causes(kind, changed(kind, path, value))
    assert.deepEqual(cause, { reason: `FieldValue${reason}`, field: path, message })
    assert.deepEqual(more, [])
  })

/** kind, path, values that are accepted there. */
const ACCEPTED: readonly (readonly [KindName, string, readonly unknown[]])[] = [
  ['ApiSpecification', 'spec', [undefined, null]],
  ['ApiSpecification', 'spec.basepath', ['/', long(200), `/${'🚀'.repeat(199)}`, '/a\rb']],
  ['ApiSpecification', 'spec.version', ['1', '10-beta', '1.0 x', '1\u2028']],
  ['ApiSpecification', 'spec.scopes', [undefined, null, []]],
  ['ApiSpecification', 'status', [undefined, null, {}]],
  ['ApiSubscription', 'spec', [undefined]],
  ['ApiSubscription', 'spec.traffic', [{}]],
  ['ApiSubscription', 'spec.traffic.failover.zone', [[]]],
  ['ApiSubscription', 'spec.security', [undefined, { h2m: {} }, { h2m: { any: [null] } }]],
  ['ApiSubscription', 'spec.security.m2m.scopes', [Array(10).fill('s')]],
  ['ApiSubscription', 'spec.security.m2m.client.clientSecret', ['']],
  ['ApiSubscription', 'spec.organization', [undefined, '']],
  ['EventConfig', 'spec.local.admin.client', [undefined, {}]],
  ['EventConfig', 'spec.local.voyagerApiUrl', [undefined, 'urn:x', 'mailto:a@b', 'http:a', 'https://[::1]:8/a?b#c']],
  ['EventConfig', 'spec.mesh', [undefined, {}, { fullMesh: true, zoneNames: [] }]],
  ['EventConfig', 'status.adminClient.observedGeneration', [0, -1, 9007199254740993n, 2n ** 63n - 1n, -(2n ** 63n)]],
  ['EventExposure', 'spec.approval', [{}, { strategy: 'FourEyes', trustedTeams: [] }]],
  ['EventExposure', 'spec.approval.trustedTeams', [Array(10).fill('t')]],
  ['EventExposure', 'spec.visibility', [undefined, 'Zone', 'Enterprise']],
  ['EventExposure', 'spec.scopes[0].trigger', [{}]],
  ['EventExposure', 'spec.eventType', ['a', '0', 'a-b.c', 'a'.repeat(300)]],
  ['EventSubscription', 'spec.delivery', [{}]],
  ['EventSubscription', 'spec.delivery.redeliveriesPerSecond', [0, -5, 5.0, 1e9]],
  ['EventSubscription', 'spec.delivery.retryableStatusCodes', [[], [0, -1, 1000]]],
  ['EventSubscription', 'spec.delivery.eventRetentionTime', ['', 'whenever']],
  ['EventSubscription', 'status', [{}]],
  ['EventType', 'spec.type', ['a'.repeat(253)]],
  ['EventType', 'spec.category', [undefined, null, 'abc']],
  ['EventType', 'status.active', [false]],
]

for (const [kind, path, values] of ACCEPTED)
  for (const value of values)
    test(`${kind} ${path} = ${shown(value)} is accepted`, () => {
      assert.deepEqual(causes(kind, changed(kind, path, value)), [])
    })

for (const kind of Object.keys(KIND) as KindName[])
  test(`${kind} with every field of its table is accepted`, () => assert.deepEqual(causes(kind, full(kind)), []))

test('all violations are reported, in the order of the schema', () => {
  const object = full('EventSubscription')
  object['spec'] = { delivery: { type: 'x' }, eventType: 'A', requestor: {}, zone: null }
  assert.deepEqual(
    causes('EventSubscription', object).map((cause) => cause.field),
    ['spec.delivery.type', 'spec.eventType', 'spec.requestor.name', 'spec.requestor.namespace', 'spec.zone'],
  )
})

test('an answer never holds more than a hundred violations, nor more than a few lines of one value', () => {
  const many = causes('EventSubscription', changed('EventSubscription', 'spec.scopes', Array(100_000).fill(1)))
  assert.equal(many.length, 100)
  const twin = full('EventType')['status'].conditions[0]
  const twins = causes('EventType', changed('EventType', 'status.conditions', Array(1000).fill(twin)))
  assert.equal(twins.length, 100)
  const [cause] = causes('EventSubscription', changed('EventSubscription', 'spec.eventType', 'A'.repeat(1_000_000)))
  assert.ok(cause !== undefined && cause.message.length < 1000)
})

function shown(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value, bigints).slice(0, 40)
}

function bigints(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}
