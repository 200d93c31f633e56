import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellOf } from '#domain/column.ts'
import { Event } from '#domain/kinds/core/event.ts'

const NOW = Date.parse('2026-01-01T01:00:00Z')
const cellsOf = (event: object): Record<string, unknown> =>
  Object.fromEntries(Event.columns.map((column) => [column.name, cellOf(column, event, NOW)]))

test('an event names its object as kubectl would, and how often and how long it has been seen', () => {
  const event = {
    metadata: { name: 'orders.1' },
    type: 'Warning',
    reason: 'Blocked',
    message: ' It waits\n',
    count: 3,
    involvedObject: { kind: 'EventType', name: 'orders', fieldPath: 'spec.type' },
    source: { component: 'stellwerk', host: 'a1' },
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:59:30Z',
  }
  assert.deepEqual(cellsOf(event), {
    'Last Seen': '30s',
    Type: 'Warning',
    Reason: 'Blocked',
    Object: 'eventtype/orders',
    Subobject: 'spec.type',
    Source: 'stellwerk, a1',
    Message: 'It waits',
    'First Seen': '60m',
    Count: 3,
    Name: 'orders.1',
  })
})

test('an event in the newer form shows the same: a time of its own, a series, a reporting controller', () => {
  const event = {
    involvedObject: { kind: 'Zone' },
    eventTime: '2026-01-01T00:30:00.000000Z',
    series: { count: 12, lastObservedTime: '2026-01-01T00:59:00.000000Z' },
    reportingComponent: 'other',
    reportingInstance: 'b2',
  }
  const { Object: object, Source, Count, 'First Seen': first, 'Last Seen': last } = cellsOf(event)
  assert.deepEqual([object, Source, Count, first, last], ['zone', 'other, b2', 12, '30m', '60s'])
  const single = cellsOf({ eventTime: '2026-01-01T00:30:00Z' })
  assert.deepEqual([single['Last Seen'], single['Count']], ['30m', 1])
})

test('an event of nonsense is shown, not stumbled over', () => {
  for (const nonsense of [null, 7, 'x', [], { kind: 1, name: {}, component: [], count: 'many' }]) {
    const event = { involvedObject: nonsense, source: nonsense, series: nonsense, message: nonsense, count: nonsense }
    assert.equal(cellsOf(event)['Object'], '')
  }
})
