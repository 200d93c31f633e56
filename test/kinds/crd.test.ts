import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crdOf } from '#domain/crd.ts'
import type { Kind } from '#domain/kind.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { definitionName, openApiSchemaOf } from '#domain/openapi.ts'
import { KIND, kindOf, type KindName, type Tree } from './samples.ts'

const versionOf = (kind: Kind): Tree => {
  const { spec }: Tree = crdOf(kind)
  return spec['versions'][0]
}
const rootOf = (name: KindName): Tree => versionOf(kindOf(name))['schema'].openAPIV3Schema

test('a CRD names the kind, its group and its scope', () => {
  const crd: Tree = crdOf(kindOf('EventType'))
  assert.equal(crd['metadata'].name, 'eventtypes.event.cp.ei.vendor.de')
  assert.deepEqual(crd['spec'].names, {
    kind: 'EventType',
    listKind: 'EventTypeList',
    plural: 'eventtypes',
    singular: 'eventtype',
    shortNames: ['evtype'],
    categories: ['stellwerk'],
  })
  assert.equal(crd['spec'].scope, 'Namespaced')
  assert.deepEqual(crd['spec'].versions[0].subresources, { status: {} })
})

test('§9: the six kinds have their groups', () => {
  for (const name of Object.keys(KIND) as KindName[]) {
    const group = name === 'ApiSpecification' ? 'rover' : name === 'ApiSubscription' ? 'api' : 'event'
    assert.equal(KIND[name].group, `${group}.cp.ei.vendor.de`)
    assert.equal(KIND[name].version, 'v1')
    assert.equal(KIND[name].scope, 'Namespaced')
    assert.deepEqual(rootOf(name)['required'], group === 'event' ? ['metadata', 'spec'] : ['metadata'])
  }
})

test('the m2m rules stand in the CRD as CEL, word for word', () => {
  const { m2m } = rootOf('ApiSubscription')['properties'].spec.properties.security.properties
  assert.deepEqual(m2m['x-kubernetes-validations'], [
    {
      rule: '!(has(self.client) && has(self.basic))',
      message: 'Client and basic authentication cannot be used together',
    },
    {
      rule: '!(has(self.scopes) && has(self.basic))',
      message: 'Scopes and basic authentication cannot be used together',
    },
    {
      rule: 'has(self.client) || has(self.basic) || has(self.scopes)',
      message: 'At least one of client, basic, or scopes must be provided',
    },
  ])
})

test('what is kept, keyed and limited is said in the CRD', () => {
  const subscription = rootOf('ApiSubscription')['properties']
  assert.equal(subscription.spec.properties.security.properties.h2m['x-kubernetes-preserve-unknown-fields'], true)
  assert.equal(subscription.spec.properties.security.properties.m2m.properties.scopes.maxItems, 10)
  const { conditions } = subscription.status.properties
  assert.equal(conditions['x-kubernetes-list-type'], 'map')
  assert.deepEqual(conditions['x-kubernetes-list-map-keys'], ['type'])
  const url = rootOf('EventConfig')['properties'].spec.properties.local.properties.publishEventUrl
  assert.deepEqual([url.format, url.pattern, url.minLength], ['uri', '^[A-Za-z][A-Za-z0-9+.-]*:.+', 1])
  assert.equal(rootOf('EventType')['properties'].spec.properties.category.default, 'other')
})

test('ApiSpecification preserves unknown fields on every level of its CRD', () => {
  let objects = 0
  walk(rootOf('ApiSpecification'), (schema, path) => {
    if (schema['type'] !== 'object' || path.endsWith('.metadata')) return
    objects++
    assert.equal(schema['x-kubernetes-preserve-unknown-fields'], true, path)
  })
  assert.equal(objects, 5)
})

for (const kind of KINDS)
  test(`${kind.kind}: the CRD is a structural schema Kubernetes accepts`, () => {
    walk(versionOf(kind)['schema'].openAPIV3Schema, (schema, path) => {
      assert.ok(typeof schema['type'] === 'string', path)
      assert.ok(
        !(schema['properties'] && schema['additionalProperties']),
        `${path}: properties and additionalProperties`,
      )
      for (const key of schema['required'] ?? []) assert.ok(schema['properties']?.[key], `${path}: required ${key}`)
      for (const key of schema['x-kubernetes-list-map-keys'] ?? [])
        assert.ok(new Set(schema['items'].required).has(key), `${path}: ${key}`)
      assert.ok(!/\(\?[^:]|\\[1-9]/.test(schema['pattern'] ?? ''), `${path}: RE2 cannot read ${schema['pattern']}`)
    })
    for (const column of versionOf(kind)['additionalPrinterColumns']) assert.match(column.jsonPath, /^\./)
  })

test('OpenAPI v3 describes a kind, its metadata by reference', () => {
  const schema: Tree = openApiSchemaOf(kindOf('EventType'))
  assert.deepEqual(schema['x-kubernetes-group-version-kind'], [
    { group: 'event.cp.ei.vendor.de', version: 'v1', kind: 'EventType' },
  ])
  assert.deepEqual(schema['properties'].metadata.allOf, [
    { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
  ])
  assert.match(schema['properties'].spec.properties.type.description, /Name of the event type/)
  assert.equal(definitionName(kindOf('EventType')), 'de.vendor.ei.cp.event.v1.EventType')
})

test('OpenAPI v2 lists no properties where unknown ones are kept', () => {
  assert.deepEqual(Object.keys(openApiSchemaOf(kindOf('ApiSpecification'), { version: 'v2' })), [
    'description',
    'type',
    'x-kubernetes-group-version-kind',
  ])
  const schema: Tree = openApiSchemaOf(kindOf('ApiSubscription'), { version: 'v2' })
  const { spec } = schema['properties']
  assert.equal(spec.properties.security.properties.h2m.properties, undefined)
  assert.equal(spec.properties.security['x-kubernetes-validations'], undefined)
})

test('every field of the six kinds is described, so that kubectl explain has something to say', () => {
  for (const name of Object.keys(KIND) as KindName[])
    for (const part of ['spec', 'status'])
      walk(rootOf(name)['properties'][part], (schema, path) => {
        if (path === '' || path.endsWith('[]') || path.endsWith('{}')) return
        assert.ok(schema['description'], `${name} ${part}${path}`)
      })
})

function walk(schema: Tree, visit: (schema: Tree, path: string) => void, path = ''): void {
  visit(schema, path)
  for (const [key, child] of Object.entries((schema['properties'] ?? {}) as Tree)) walk(child, visit, `${path}.${key}`)
  if (schema['items']) walk(schema['items'], visit, `${path}[]`)
  if (schema['additionalProperties']) walk(schema['additionalProperties'], visit, `${path}{}`)
}

test('every kind says in a sentence what its spec and its status hold', () => {
  const silent = KINDS.flatMap((kind) => {
    const { properties } = openApiSchemaOf(kind) as { properties: Record<string, { description?: string }> }
    return ['spec', 'status']
      .filter((at) => properties[at]?.description?.endsWith('.') !== true)
      .map((at) => `${kind.kind} ${at}`)
  })
  // An Event of Kubernetes has no status.
  assert.deepEqual(silent, ['Event status'])
})
