import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluate } from '@marcbachmann/cel-js'
import fc from 'fast-check'
import { KINDS } from '#domain/kinds/index.ts'
import type { FieldError } from '#domain/errors.ts'
import { type Rule, s, type Schema } from '#domain/schema.ts'
import { compileCheck } from '#domain/validate-schema.ts'
import { always } from '#test/support/property.ts'
import { causes, changed } from './samples.ts'

const basic = { username: 'u', password: 'p' }
const client = { clientId: 'c', clientSecret: 's' }
const local = { admin: { url: 'http://a' }, publishEventUrl: 'http://a', serverSendEventUrl: 'http://a' }
const proxy = { targetZone: { name: 'z', namespace: 'n' } }

const message = (kind: 'ApiSubscription' | 'EventConfig', path: string, value: unknown) =>
  causes(kind, changed(kind, path, value)).map((cause) => `${cause.reason} ${cause.field}: ${cause.message}`)

const m2m = (value: unknown) => message('ApiSubscription', 'spec.security.m2m', value)
const refused = (field: string, text: string) => [`FieldValueInvalid ${field}: Invalid value: "object": ${text}`]

// §7, word for word
test('clientSecret and clientKey exclude each other', () =>
  assert.deepEqual(
    m2m({ client: { ...client, clientKey: 'k' } }),
    refused('spec.security.m2m.client', 'ClientSecret and ClientKey cannot be used together'),
  ))
test('one of clientSecret and clientKey is needed', () =>
  assert.deepEqual(
    m2m({ client: { clientId: 'c' } }),
    refused('spec.security.m2m.client', 'At least one of clientSecret or clientKey must be provided'),
  ))
test('client and basic exclude each other', () =>
  assert.deepEqual(
    m2m({ client, basic }),
    refused('spec.security.m2m', 'Client and basic authentication cannot be used together'),
  ))
test('scopes and basic exclude each other, also when the list is empty', () => {
  const text = 'Scopes and basic authentication cannot be used together'
  assert.deepEqual(m2m({ scopes: ['a'], basic }), refused('spec.security.m2m', text))
  assert.deepEqual(m2m({ scopes: [], basic }), refused('spec.security.m2m', text))
})
test('one of client, basic and scopes is needed; null is absent, an empty list is not', () => {
  const text = 'At least one of client, basic, or scopes must be provided'
  assert.deepEqual(m2m({}), refused('spec.security.m2m', text))
  assert.deepEqual(m2m({ client: null, scopes: null }), refused('spec.security.m2m', text))
  for (const fine of [
    { scopes: [] },
    { basic },
    { client },
    { client, scopes: ['a'] },
    { client: { clientId: 'c', clientKey: '' } },
  ])
    assert.deepEqual(m2m(fine), [])
})
test('basic needs both parts, none of them empty', () => {
  assert.deepEqual(m2m({ basic: {} }), [
    'FieldValueRequired spec.security.m2m.basic.username: Required value',
    'FieldValueRequired spec.security.m2m.basic.password: Required value',
  ])
  assert.equal(m2m({ basic: { username: '', password: '' } }).length, 2)
})
test('exactly one of m2m and h2m is set (§5.1)', () => {
  const text = 'Exactly one of m2m or h2m must be set'
  for (const security of [{}, { m2m: { basic }, h2m: {} }])
    assert.deepEqual(message('ApiSubscription', 'spec.security', security), refused('spec.security', text))
})
test('exactly one of local and proxy is set', () => {
  const text = 'Exactly one of local or proxy must be set'
  const zone = { name: 'z', namespace: 'n' }
  for (const choice of [{}, { local, proxy }, { local: null }])
    assert.deepEqual(message('EventConfig', 'spec', { zone, ...choice }), refused('spec', text))
  for (const choice of [{ local }, { proxy }]) assert.deepEqual(message('EventConfig', 'spec', { zone, ...choice }), [])
})
test('several rules broken at once are all reported, inner objects first', () =>
  assert.deepEqual(message('ApiSubscription', 'spec.security', { h2m: {}, m2m: { basic, scopes: ['a'] } }), [
    ...refused('spec.security.m2m', 'Scopes and basic authentication cannot be used together'),
    ...refused('spec.security', 'Exactly one of m2m or h2m must be set'),
  ]))
test('a rule is not asked about values of the wrong type', () =>
  assert.deepEqual(m2m({ client: 'c', basic }).length, 1))

test('a secret is never part of a message', () => {
  const canary = 'c4n4ry'
  const texts = [
    ...m2m({ client: { clientId: 'c', clientSecret: canary, clientKey: canary } }),
    ...m2m({ basic: { username: 'u', password: [canary] } }),
  ]
  assert.equal(texts.length, 2)
  const errors: FieldError[] = []
  compileCheck(s.string({ secret: 'given', pattern: '^a$' }))(canary, '', '.x', errors)
  texts.push(...errors.map((error) => error.message))
  assert.equal(texts.length, 3)
  for (const text of texts) assert.ok(!text.includes(canary), text)
})

/** Every rule of every kind with the properties of the object it is about. */
function rulesOf(schema: Schema, at: string): { at: string; rule: Rule; properties: readonly string[] }[] {
  const own = (schema.rules ?? []).map((rule) => ({ at, rule, properties: Object.keys(schema.properties ?? {}) }))
  const below = Object.entries(schema.properties ?? {}).flatMap(([key, child]) => rulesOf(child, `${at}.${key}`))
  const inside = [schema.items, schema.additionalProperties].flatMap((child) =>
    child ? rulesOf(child, `${at}[]`) : [],
  )
  return [...own, ...below, ...inside]
}

const RULES = KINDS.flatMap((kind) => [
  ...rulesOf(kind.spec, `${kind.kind}.spec`),
  ...rulesOf(kind.status, `${kind.kind}.status`),
])

test('the six kinds have the rules of §2.4 and §2.5', () => {
  const six = RULES.filter(({ at }) => /^(ApiSubscription|EventConfig)\./.test(at))
  assert.equal(six.length, 7)
})

const onlyAsksForPresence = (cel: string): boolean => !/\bself\b/.test(cel.replaceAll(/has\(self\.\w+\)/g, ''))

for (const { at, rule, properties } of RULES.filter(({ rule: { cel } }) => onlyAsksForPresence(cel)))
  test(`${at}: "${rule.cel}" says in CEL what it says in code`, () => {
    const value = fc.constantFrom<unknown>('', 'a', [], {}, false, 0)
    const entries = fc.record(Object.fromEntries(properties.map((key) => [key, value])), { requiredKeys: [] })
    always(
      fc.property(entries, (self) => evaluate(rule.cel, { self }) === rule.holds(self)),
      { numRuns: 200 },
    )
  })

test('no rule reads values: one that does needs a test with inputs of its own here', () => {
  assert.deepEqual(
    RULES.filter(({ rule }) => !onlyAsksForPresence(rule.cel)).map(({ at }) => at),
    [],
  )
})
