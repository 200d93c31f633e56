import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellOf, humanDuration, parsePath, readPath } from '#domain/column.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { full, kindOf, type Tree } from './samples.ts'

const object = {
  a: { b: ['x', { c: 1 }], 'd.e/f': 'label', n: null },
  list: [{ type: 'Other', status: 'False' }, null, { type: 'Ready', status: 'True' }],
}

test('a path leads through keys, indexes, filters and names with dots', () => {
  assert.equal(readPath('.a.b[0]', object), 'x')
  assert.equal(readPath('.a.b[1].c', object), 1)
  assert.equal(readPath('.a.b[-1].c', object), 1)
  assert.equal(readPath('.list[?(@.type=="Ready")].status', object), 'True')
  assert.equal(readPath(".list[?(@.type == 'Other')].status", object), 'False')
  for (const path of ['.a.d\\.e/f', "['a']['d.e/f']", '.a["d.e/f"]']) assert.equal(readPath(path, object), 'label')
})

test('a path that leads nowhere gives nothing, also through what every object inherits', () => {
  for (const path of [
    '.x',
    '.a.x.y',
    '.a.b[7]',
    '.a.n',
    '.list[?(@.type=="No")].status',
    '.list[0][0]',
    '.constructor',
    '.a.b.length',
  ])
    assert.equal(readPath(path, object), undefined, path)
})

test('a path outside the subset is a mistake in a kind', () => {
  for (const path of ['a', '..a', '.a[*]', '.a[?(@.x>1)]', '.a['])
    assert.throws(() => parsePath(path), SyntaxError, path)
})

test('a cell has the type of its column', () => {
  const cell = (type: 'string' | 'integer' | 'boolean' | 'date', v: unknown) =>
    cellOf({ name: 'V', type, path: '.v' }, { v }, 1_000_000)
  assert.equal(cell('string', 5), '5')
  assert.equal(cell('string', ['a']), '["a"]')
  assert.equal(cell('integer', 7n), 7)
  assert.equal(cell('integer', 'x'), null)
  assert.equal(cell('boolean', false), false)
  assert.equal(cell('boolean', 'true'), null)
  assert.equal(cell('date', '1970-01-01T00:00:00Z'), '16m')
  assert.equal(cell('date', 'never'), '<invalid>')
  assert.equal(cell('date', undefined), null)
})

test('a duration is written as kubectl writes it', () => {
  const second = 1000
  const minute = 60 * second
  const hour = 60 * minute
  const day = 24 * hour
  const cases: readonly (readonly [number, string])[] = [
    [-3 * second, '<invalid>'], [-second, '0s'], [0, '0s'], [119 * second, '119s'], [2 * minute, '2m'], [2 * minute + second, '2m1s'],
    [10 * minute + second, '10m'], [179 * minute, '179m'], [3 * hour, '3h'], [3 * hour + 5 * minute, '3h5m'], [8 * hour + minute, '8h'],
    [47 * hour, '47h'], [2 * day, '2d'], [2 * day + hour, '2d1h'], [8 * day + hour, '8d'], [729 * day, '729d'], [730 * day, '2y'],
    [731 * day, '2y1d'], [365 * 8 * day, '8y'],
  ] // prettier-ignore
  for (const [millis, text] of cases) assert.equal(humanDuration(millis), text)
})

test('kubectl get eventtypes shows type, version, active, ready and age', () => {
  const kind = kindOf('EventType')
  const type = full('EventType')
  type['metadata'].creationTimestamp = '2026-01-01T00:00:00Z'
  const cells = kind.columns
    .filter((column) => !column.priority)
    .map((c) => [c.name, cellOf(c, type, Date.parse('2026-01-01T00:05:30Z'))])
  assert.deepEqual(cells, [
    ['Type', 'de.vendor.order.v1'],
    ['Version', '1.0.0'],
    ['Active', true],
    ['Ready', 'True'],
    ['Reason', 'Provisioned'],
    ['Age', '5m30s'],
  ])
})

// The fields of the core kinds are not all in their schemas.
for (const kind of KINDS.filter(({ group }) => group !== ''))
  test(`${kind.kind}: every column leads to a field of the schema`, () => {
    for (const column of kind.columns) {
      const root = { type: 'object', properties: { spec: kind.spec, status: kind.status } } as Tree
      if (column.path.startsWith('.metadata.')) continue
      const end = parsePath(column.path).reduce<Tree | undefined>(
        (schema, step) =>
          step.is === 'key'
            ? (schema?.['properties']?.[step.key] ?? schema?.['additionalProperties'])
            : schema?.['items'],
        root,
      )
      assert.ok(end !== undefined, column.path)
    }
  })
