import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findViolation, type Operation } from './history.ts'

const at = (called: number, returned: number) => ({ register: 'r', called, returned })
const write = (o: Partial<Operation>, called: number, returned: number): Operation => ({
  type: 'write',
  value: 0,
  revision: 0,
  ...at(called, returned),
  ...o,
})
const read = (o: Partial<Operation>, called: number, returned: number): Operation => ({
  type: 'read',
  value: 0,
  revision: 0,
  ...at(called, returned),
  ...o,
})

const conflict = (o: Partial<Operation>, called: number, returned: number): Operation => ({
  ...write(o, called, returned),
  type: 'conflict',
})

const first = write({ revision: 1, value: 1, expected: 0 }, 0, 10)
const second = write({ revision: 2, value: 2, expected: 1 }, 20, 30)

test('a history in order has no violation', () => {
  assert.equal(
    findViolation([
      first,
      second,
      read({ revision: 1, value: 1 }, 15, 25),
      conflict({ revision: 1, value: 1, expected: 1 }, 18, 32),
      read({ revision: 2, value: 2 }, 31, 40),
    ]),
    undefined,
  )
})

const faults: readonly (readonly [string, readonly Operation[], RegExp])[] = [
  ['a lost update', [first, write({ revision: 3, value: 2, expected: 0 }, 20, 30)], /lost update/],
  ['a stale read', [first, second, read({ revision: 1, value: 1 }, 31, 40)], /older state/],
  ['a read from the future', [first, read({ revision: 2, value: 2 }, 12, 15), second], /before it was called/],
  ['a read of what nobody wrote', [first, read({ revision: 9, value: 1 }, 12, 15)], /nobody wrote/],
  ['a torn read', [first, read({ revision: 1, value: 7 }, 12, 15)], /another value/],
  ['a reused revision', [first, write({ revision: 1, value: 3, expected: 0 }, 20, 30)], /share a revision/],
  [
    'a refusal without a cause',
    [first, conflict({ revision: 1, value: 1, expected: 1 }, 12, 15)],
    /nobody had changed/,
  ],
  [
    'a refusal before its cause',
    [first, second, conflict({ revision: 1, value: 1, expected: 1 }, 12, 15)],
    /nobody had changed/,
  ],
  [
    'reads that go back',
    [first, second, read({ revision: 2, value: 2 }, 22, 24), read({ revision: 1, value: 1 }, 25, 29)],
    /older state/,
  ],
]

for (const [name, history, expected] of faults)
  test(`the checker notices ${name}`, () => {
    assert.match(findViolation(history) ?? 'nothing found', expected)
  })
