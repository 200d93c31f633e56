import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  difference,
  EMPTY,
  type FieldSet,
  intersection,
  isEmpty,
  pathsOf,
  sameSet,
  setOf,
  union,
} from '#domain/managed-fields/field-set.ts'
import { itemStep, pathText, setProblem, valueStep } from '#domain/managed-fields/field-step.ts'
import { always } from '#test/support/property.ts'

const step = fc.constantFrom('f:a', 'f:b', 'f:constructor', 'f:.', 'k:{"type":"Ready"}', 'v:"x"', 'i:0')
const paths = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 8 })

/** The same thing without any cleverness: texts of paths. */
const model = (list: readonly (readonly string[])[]): Set<string> => new Set(list.map((path) => JSON.stringify(path)))
const modelOf = (set: FieldSet): Set<string> => model([...pathsOf(set)])

describe('a set of fields', () => {
  it('is the set of its paths, and is written in one way only', () => {
    always(
      fc.property(paths, (list) => {
        const set = setOf(list)
        assert.deepEqual(modelOf(set), model(list))
        assert.ok(sameSet(set, setOf(list.toReversed())))
        assert.equal(setProblem(JSON.parse(JSON.stringify(set))), undefined)
      }),
    )
  })

  const operations = { union, difference, intersection } as const
  for (const name of ['union', 'difference', 'intersection'] as const) {
    it(`has the ${name} of the paths, and changes neither operand`, () => {
      always(
        fc.property(paths, paths, (left, right) => {
          const [a, b] = [setOf(left), setOf(right)]
          const before = JSON.stringify([a, b])
          const result = operations[name](a, b)
          assert.deepEqual(modelOf(result), model(left)[name](model(right)))
          assert.ok(sameSet(result, setOf(pathsOf(result))))
          assert.equal(JSON.stringify([a, b]), before)
        }),
      )
    })
  }

  it('obeys the laws of sets', () => {
    always(
      fc.property(paths, paths, paths, (x, y, z) => {
        const [a, b, c] = [setOf(x), setOf(y), setOf(z)]
        assert.ok(sameSet(union(a, b), union(b, a)))
        assert.ok(sameSet(union(union(a, b), c), union(a, union(b, c))))
        assert.ok(sameSet(intersection(a, union(b, c)), union(intersection(a, b), intersection(a, c))))
        assert.ok(sameSet(difference(a, b), difference(a, intersection(a, b))))
        assert.ok(isEmpty(difference(a, a)))
      }),
    )
  })

  it('is returned itself where nothing changes', () => {
    always(
      fc.property(paths, paths, (x, y) => {
        const [a, b] = [setOf(x), setOf(y)]
        assert.equal(union(a, EMPTY), a)
        assert.equal(union(a, intersection(a, b)), a)
        assert.equal(difference(a, difference(b, a)), a)
      }),
    )
  })
})

describe('a path', () => {
  it('is printed as Kubernetes prints it', () => {
    assert.equal(
      pathText(['f:status', 'f:conditions', 'k:{"type":"Ready"}', 'f:status']),
      '.status.conditions[type="Ready"].status',
    )
    assert.equal(pathText(['f:metadata', 'f:finalizers', 'v:"x/y"']), '.metadata.finalizers[="x/y"]')
    assert.equal(pathText(['f:a', 'k:{"n":1,"p":"x"}', 'i:3']), '.a[n=1,p="x"][3]')
  })

  it('leads to an item by all its keys, in alphabetical order, defaults included', () => {
    const keys = [
      { name: 'port', fallback: undefined },
      { name: 'protocol', fallback: 'TCP' },
    ]
    assert.equal(itemStep(keys, { port: 80 }), 'k:{"port":80,"protocol":"TCP"}')
    assert.equal(itemStep(keys, { port: 2n ** 60n, protocol: '"' }), `k:{"port":${2n ** 60n},"protocol":"\\""}`)
    assert.equal(itemStep(keys, { protocol: 'UDP' }), undefined)
    assert.equal(itemStep(keys, { port: {} }), undefined)
    assert.equal(itemStep(keys, 'text'), undefined)
    assert.equal(valueStep('a"b'), 'v:"a\\"b"')
  })
})
