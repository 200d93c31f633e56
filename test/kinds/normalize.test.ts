import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalize } from '#domain/structural.ts'
import { changed, full, KIND, kindOf, type KindName, type Tree } from './samples.ts'

const stored = (kind: KindName, object: Tree): Tree => normalize(kindOf(kind), object).object
const unknown = (kind: KindName, object: Tree) => normalize(kindOf(kind), object).unknown

const zone = { name: 'z', namespace: 'n' }

/** kind, path of the field, the default of the specification. */
const DEFAULTS: readonly (readonly [KindName, string, unknown])[] = [
  ['ApiSpecification', 'spec.category', 'other'],
  ['ApiSpecification', 'spec.xvendor', false],
  ['EventConfig', 'spec.mesh.fullMesh', true],
  ['EventExposure', 'spec.approval.strategy', 'Simple'],
  ['EventExposure', 'spec.visibility', 'Enterprise'],
  ['EventExposure', 'spec.scopes[0].trigger.responseFilter.mode', 'Include'],
  ['EventSubscription', 'spec.delivery.payload', 'Data'],
  ['EventSubscription', 'spec.delivery.type', 'Callback'],
  ['EventSubscription', 'spec.trigger.responseFilter.mode', 'Include'],
  ['EventType', 'spec.category', 'other'],
]

for (const [kind, path, value] of DEFAULTS)
  test(`${kind} ${path} is stored as ${JSON.stringify(value)} when absent or null`, () => {
    for (const absent of [undefined, null])
      assert.deepEqual(stored(kind, changed(kind, path, absent)), changed(kind, path, value))
  })

test('a default never brings its parent into being', () => {
  const spec = { zone, proxy: { targetZone: zone } }
  assert.deepEqual(stored('EventConfig', { ...full('EventConfig'), spec })['spec'], spec)
  assert.equal('spec' in stored('ApiSpecification', changed('ApiSpecification', 'spec', undefined)), false)
  const { trigger: _, ...rest } = full('EventSubscription')['spec']
  assert.deepEqual(stored('EventSubscription', { ...full('EventSubscription'), spec: rest })['spec'], rest)
})

test('an empty object is filled and an empty text is kept', () => {
  assert.deepEqual(stored('EventSubscription', changed('EventSubscription', 'spec.delivery', {}))['spec'].delivery, {
    payload: 'Data',
    type: 'Callback',
  })
  assert.equal(stored('EventType', changed('EventType', 'spec.category', ''))['spec'].category, '')
})

for (const kind of Object.keys(KIND) as KindName[])
  test(`${kind}: a complete object is stored as it is, and the input is not changed`, () => {
    const object = deepFreeze(full(kind))
    assert.deepEqual(stored(kind, object), object)
    assert.deepEqual(unknown(kind, object), [])
  })

test('unknown fields are pruned and reported where they were', () => {
  const object = full('EventExposure')
  object['bogusRoot'] = {}
  object['metadata'].bogusMeta = 'x'
  object['metadata'].ownerReferences = [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u', extra: 1 }]
  object['spec'].bogus = 1
  object['spec'].scopes[0].x = 1
  object['spec'].scopes[0].trigger.selectionFilter.y = null
  object['status'].conditions[0].z = 1
  assert.deepEqual(unknown('EventExposure', object), [
    'metadata.bogusMeta',
    'metadata.ownerReferences[0].extra',
    'bogusRoot',
    'spec.bogus',
    'spec.scopes[0].trigger.selectionFilter.y',
    'spec.scopes[0].x',
    'status.conditions[0].z',
  ])
  const pruned = stored('EventExposure', object)
  assert.deepEqual(pruned['metadata'], {
    name: 'x',
    namespace: 'n',
    ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u' }],
  })
  assert.deepEqual({ ...pruned, metadata: { name: 'x', namespace: 'n' } }, full('EventExposure'))
})

test('ApiSpecification keeps unknown fields on every level and reports none', () => {
  const object = full('ApiSpecification')
  object['extra'] = { deep: [null] }
  object['metadata'].extra = 1
  object['spec'].extra = null
  object['status'].api.extra = 1
  object['status'].conditions[0].extra = 1
  assert.deepEqual(stored('ApiSpecification', object), object)
  assert.deepEqual(unknown('ApiSpecification', object), [])
})

test('h2m and expression are kept as given, nulls and all', () => {
  const h2m = { a: null, b: [{ c: null }], __proto__x: 1 }
  assert.deepEqual(stored('ApiSubscription', changed('ApiSubscription', 'spec.security', { h2m }))['spec'].security, {
    h2m,
  })
  assert.deepEqual(unknown('ApiSubscription', changed('ApiSubscription', 'spec.security', { h2m })), [])
  const expression = { and: [null, { x: null }] }
  const path = 'spec.trigger.selectionFilter.expression'
  assert.deepEqual(
    stored('EventSubscription', changed('EventSubscription', path, expression))['spec'].trigger.selectionFilter
      .expression,
    expression,
  )
})

test('preserve keeps what a kind would prune, and still fills defaults', () => {
  const object = changed('EventType', 'spec.bogus', 1)
  delete object['spec'].category
  const result = normalize(kindOf('EventType'), object, { preserve: true })
  assert.deepEqual(result.unknown, [])
  assert.deepEqual(result.object, { ...object, spec: { ...object['spec'], category: 'other' } })
})

test('null properties are dropped, also in maps and in lists of objects; null items stay to be refused', () => {
  const object = full('EventExposure')
  object['metadata'].labels = { a: null, b: 'c' }
  object['spec'].scopes[1] = null
  object['spec'].scopes[0].trigger.responseFilter.paths = null
  object['spec'].scopes[0].trigger.selectionFilter.attributes.gone = null
  object['spec'].additionalPublisherIds = [null]
  const normal = stored('EventExposure', object)
  assert.deepEqual(normal['metadata'].labels, { b: 'c' })
  assert.deepEqual(normal['spec'].scopes[0].trigger.responseFilter, { mode: 'Exclude' })
  assert.deepEqual(normal['spec'].scopes[0].trigger.selectionFilter.attributes, { region: 'eu' })
  assert.equal(normal['spec'].scopes[1], null)
  assert.deepEqual(normal['spec'].additionalPublisherIds, [null])
})

test('__proto__ is an ordinary key: pruned and reported, or kept', () => {
  const pruned = full('EventType')
  pruned['spec'] = JSON.parse('{"type":"a","version":"1","__proto__":{"category":"x"},"constructor":1}')
  assert.deepEqual(unknown('EventType', pruned), ['spec.__proto__', 'spec.constructor'])
  assert.deepEqual(stored('EventType', pruned)['spec'], { type: 'a', version: '1', category: 'other' })

  const kept = full('ApiSpecification')
  kept['spec'] = JSON.parse('{"basepath":"/a","__proto__":{"version":"1"}}')
  const spec = stored('ApiSpecification', kept)['spec']
  assert.equal(Object.getPrototypeOf(spec), Object.prototype)
  assert.equal(JSON.stringify(spec), '{"basepath":"/a","category":"other","xvendor":false,"__proto__":{"version":"1"}}')

  const map = full('EventConfig')
  map['status'].proxyCallbackUrls = JSON.parse('{"__proto__":"u","a":null}')
  const urls = stored('EventConfig', map)['status'].proxyCallbackUrls
  assert.equal(JSON.stringify(urls), '{"__proto__":"u"}')
  assert.deepEqual(unknown('EventConfig', map), [])
})

test('values of the wrong type are left as they are for validation', () => {
  for (const wrong of ['x', 5, [], true]) {
    assert.deepEqual(stored('EventType', changed('EventType', 'spec', wrong))['spec'], wrong)
    assert.deepEqual(
      stored('EventExposure', changed('EventExposure', 'spec.scopes[0]', wrong))['spec'].scopes[0],
      wrong,
    )
  }
})

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)
  return value
}
