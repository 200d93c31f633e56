import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { hash, labelValue, normalize } from '#domain/names.ts'
import { remembering } from '#domain/remembering.ts'
import { FORMATS } from '#domain/validate-format.ts'
import { labelKeyProblem } from '#registry/names.ts'
import { always } from '#test/support/property.ts'

describe('a function that remembers', () => {
  it('answers as it would without, whatever it was asked before', () => {
    const plain = (text: string): string => `<${text}>`
    const remembered = remembering(plain)
    const text = fc.oneof(fc.constantFrom('', '__proto__', 'constructor'), fc.string(), fc.string({ maxLength: 300 }))
    always(fc.property(text, (each) => assert.equal(remembered(each), plain(each))))
  })

  it('computes a text once, a long one each time, and forgets when there are too many', () => {
    const computed: string[] = []
    const remembered = remembering((text) => (computed.push(text), text))
    const long = 'x'.repeat(129)
    for (const text of ['a', 'a', long, long, '', '']) remembered(text)
    assert.deepEqual(computed, ['a', long, long, ''])
    for (let i = 0; i < 10_000; i++) assert.equal(remembered(`t${i}`), `t${i}`)
    computed.length = 0
    remembered('a')
    remembered('t9999')
    assert.deepEqual(computed, ['a'])
  })

  it('makes the names it made before', () => {
    assert.equal(normalize(' /Some_Name\\x- '), 'some-name-x')
    assert.equal(labelValue('Grüße'), labelValue('Grüße'))
    assert.notEqual(labelValue('Grüße'), labelValue('Grüsse'))
    assert.equal(hash('abc'), hash(['a', 'b', 'c'].join('')))
    assert.notEqual(hash('ä'), hash('a'))
  })
})

describe('what was found right', () => {
  it('does not make anything else right: keys of labels', () => {
    const wrong = ['', '-a', 'a/', '/a', 'a/b/c', 'a'.repeat(64), 'A_b/c', 'ä']
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 1500; i++) assert.equal(labelKeyProblem(`example.com/key-${i}`), undefined)
      for (const key of wrong) assert.notEqual(labelKeyProblem(key), undefined, key)
    }
  })

  it('does not make anything else right: times', () => {
    const isTime = FORMATS['date-time']
    for (const [text, expected] of [
      ['', false],
      ['2026-06-01T00:00:00Z', true],
      ['', false],
      ['2026-06-01T00:00:00Z ', false],
      ['2026-06-31T00:00:00Z', false],
      ['not a time', false],
    ] as const)
      for (let round = 0; round < 2; round++) assert.equal(isTime(text), expected, text)
  })
})
