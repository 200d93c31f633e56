import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addTime, DAY, formatTime, parseDuration, parseTime } from '#domain/time.ts'
import { always } from '#test/support/property.ts'

test('our calendar agrees with the platform clock on every second of four thousand years', () => {
  const bound = { min: Date.parse('0001-01-01T00:00:00Z') / 1000, max: Date.parse('4000-01-01T00:00:00Z') / 1000 }
  always(
    fc.property(fc.integer(bound), (seconds) => {
      const text = new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
      assert.equal(parseTime(text), seconds * 1000)
      assert.equal(formatTime(seconds * 1000), text)
    }),
    { numRuns: 2000 },
  )
})

test('offsets and fractions are understood', () => {
  for (const text of ['2026-02-28T23:59:59.123456Z', '2024-02-29T01:00:00+02:30', '2026-01-01T00:00:00-11:00'])
    assert.equal(parseTime(text), Date.parse(text.replace('.123456', '.123')), text)
  assert.throws(() => parseTime('yesterday'), RangeError)
})

test('durations add up', () => {
  assert.equal(parseDuration('1h30m'), 5_400_000)
  assert.equal(parseDuration('7d'), 7 * DAY)
  assert.equal(parseDuration('720h0m0s'), 30 * DAY)
  assert.equal(addTime('2026-12-31T12:00:00Z', DAY), '2027-01-01T12:00:00Z')
})
