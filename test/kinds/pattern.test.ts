import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { KINDS } from '#domain/kinds/index.ts'
import type { Schema } from '#domain/schema.ts'
import { FORMATS } from '#domain/validate-format.ts'
import { compilePattern } from '#domain/validate-pattern.ts'
import { always } from '#test/support/property.ts'

function patternsOf(schema: Schema): readonly string[] {
  const children = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties]
  return [...(schema.pattern ? [schema.pattern] : []), ...children.flatMap((child) => (child ? patternsOf(child) : []))]
}

const PATTERNS = [...new Set(KINDS.flatMap((kind) => [...patternsOf(kind.spec), ...patternsOf(kind.status)]))]
const MORE = [
  'a',
  'b$',
  '^.{2}$',
  '^[^a]$',
  '^(a|b)$',
  'a|b',
  '[^a-c]',
  'a{2,3}b?',
  '(?:ab|a)*c',
  '^$',
  '^[\\d-]+$',
  '\\.',
  'x*',
  '(a|b)*a(a|b){6}$',
  '[\\]a]',
  '\\$',
]

const text = fc.string({ unit: fc.constantFrom(...Array.from('ab01AZ.-_/:, \n\r\u2028é🚀$][')), maxLength: 12 })

for (const pattern of [...PATTERNS, ...MORE])
  test(`${pattern} matches what a regular expression matches`, () => {
    const ours = compilePattern(pattern)
    // RE2's `.` stops at a newline only; none of these patterns has a dot that means itself outside a class.
    const theirs = new RegExp(pattern.replaceAll(/(?<!\\)\.(?![^[]*\])/g, '[^\\n]').replaceAll('[\\d-]', '[0-9-]'), 'u')
    const guided = fc.oneof(text, fc.stringMatching(theirs, { maxLength: 20 }))
    always(
      fc.property(guided, (sample) => ours.test(sample) === theirs.test(sample)),
      { numRuns: 300 },
    )
  })

for (const pattern of PATTERNS)
  test(`${pattern} takes linear time on long hostile texts`, { timeout: 60_000 }, () => {
    const ours = compilePattern(pattern)
    for (const piece of ['1', 'a', 'a.', 'a-', 'a/', '/', '--', '1ms', 'é'])
      for (const end of ['', '\n', '!']) ours.test(piece.repeat(200_000) + end)
  })

test('formats take linear time on long hostile texts', { timeout: 60_000 }, () => {
  for (const piece of ['a', 'a@', '%41', '#', '[', ':', 'a.', '1', ' '])
    for (const start of ['', 'http://', 'x:'])
      for (const check of Object.values(FORMATS)) check(`${start + piece.repeat(200_000)} `)
})

test('a pattern Kubernetes cannot run is refused when the kind is compiled', () => {
  for (const pattern of [
    '(?=a)',
    '(?<!a)b',
    '(a)\\1',
    'a*?',
    'a**',
    '(a',
    'a)',
    '[a',
    'a{1001}',
    'a{',
    '\\p',
    'a^b',
    '^a|b$',
    'a|b$',
    'a$b',
    '*',
  ])
    assert.throws(() => compilePattern(pattern), SyntaxError, pattern)
})
