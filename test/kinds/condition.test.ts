import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causes, changed, full, KIND, type KindName } from './samples.ts'

const one = (kind: KindName, field: string, value: unknown) =>
  causes(kind, changed(kind, `status.conditions[0].${field}`, value)).map((cause) => [
    cause.reason,
    cause.field,
    cause.message,
  ])

const at = (field: string) => `status.conditions[0].${field}`

// §2.2, in every kind
for (const kind of Object.keys(KIND) as KindName[]) {
  test(`${kind}: a condition needs its five fields`, () => {
    for (const field of ['lastTransitionTime', 'message', 'reason', 'status', 'type'])
      assert.deepEqual(one(kind, field, undefined), [['FieldValueRequired', at(field), 'Required value']])
  })

  test(`${kind}: the limits of a condition hold to the last character`, () => {
    const rocket = '🚀'
    assert.deepEqual(one(kind, 'message', rocket.repeat(32768)), [])
    assert.deepEqual(one(kind, 'message', rocket.repeat(32769)), [
      ['FieldValueTooLong', at('message'), 'Too long: may not be longer than 32768'],
    ])
    assert.deepEqual(one(kind, 'reason', 'a'.repeat(1024)), [])
    assert.equal(one(kind, 'reason', 'a'.repeat(1025))[0]?.[0], 'FieldValueTooLong')
    assert.deepEqual(one(kind, 'type', `${'a'.repeat(253)}/${'b'.repeat(62)}`), [])
    assert.equal(one(kind, 'type', 'a'.repeat(317))[0]?.[0], 'FieldValueTooLong')
    assert.deepEqual(one(kind, 'observedGeneration', undefined), [])
    assert.deepEqual(one(kind, 'observedGeneration', 9007199254740993n), [])
    assert.equal(
      one(kind, 'observedGeneration', -1)[0]?.[2],
      'Invalid value: -1: status.conditions[0].observedGeneration in body should be greater than or equal to 0',
    )
  })

  test(`${kind}: conditions are keyed by type`, () => {
    const object = full(kind)
    object['status'].conditions[1] = { ...object['status'].conditions[0], status: 'False' }
    assert.deepEqual(causes(kind, object), [
      {
        reason: 'FieldValueDuplicate',
        field: 'status.conditions[1]',
        message: 'Duplicate value: map[string]interface {}{"type":"Ready"}',
      },
    ])
  })
}

test('a condition is written in the words the pattern allows', () => {
  for (const reason of ['', '1a', 'a b', 'a:', 'é']) assert.equal(one('EventType', 'reason', reason).length, 1, reason)
  for (const reason of ['A', 'a_', 'Not_Ready', 'a:b,c'])
    assert.deepEqual(one('EventType', 'reason', reason), [], reason)
  for (const type of ['bad type', '/a', 'a/', 'A.b/c', '']) assert.equal(one('EventType', 'type', type).length, 1, type)
  for (const type of ['Ready', 'a.b/C_d', '0']) assert.deepEqual(one('EventType', 'type', type), [], type)
  assert.deepEqual(one('EventType', 'status', 'Maybe'), [
    [
      'FieldValueNotSupported',
      at('status'),
      'Unsupported value: "Maybe": supported values: "True", "False", "Unknown"',
    ],
  ])
})

test('a transition time is RFC 3339 and nothing else', () => {
  const good = ['2024-02-29T23:59:59Z', '2026-01-31T10:20:30.123456789+05:30', '0001-01-01T00:00:00Z']
  const bad = [
    'yesterday', '', '2023-02-29T00:00:00Z', '2024-01-01T24:00:00Z', '2016-12-31T23:59:60Z', '2024-01-01 00:00:00Z',
    '2024-01-01T00:00:00', '2024-13-01T00:00:00Z', '2024-01-01t00:00:00z', '2024-01-01T00:00:00+24:00', '2024-1-1T00:00:00Z',
    '2024-01-01T00:00:00.Z', ' 2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z\n',
  ] // prettier-ignore
  for (const text of good) assert.deepEqual(one('EventType', 'lastTransitionTime', text), [], text)
  for (const text of bad)
    assert.equal(one('EventType', 'lastTransitionTime', text)[0]?.[0], 'FieldValueTypeInvalid', text)
  assert.equal(
    one('EventType', 'lastTransitionTime', ['2024-02-29T23:59:59Z'])[0]?.[2],
    'Invalid value: "array": status.conditions[0].lastTransitionTime in body must be of type string: "array"',
  )
})
