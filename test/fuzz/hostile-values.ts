import type { Schema } from '#domain/schema.ts'
import type { Random } from './random.ts'

export interface Hostile {
  readonly what: string
  readonly value: unknown
  /** The schema forbids it, so a write of it must not succeed. */
  readonly refused: boolean
}

const bad = (what: string, value: unknown): Hostile => ({ what, value, refused: true })
const odd = (what: string, value: unknown): Hostile => ({ what, value, refused: false })

const OF_TYPE: Readonly<Record<string, readonly unknown[]>> = {
  string: ['', 'x', '1', 'true', 'null'],
  number: [0, 1, -1, 1.5, 2 ** 53],
  boolean: [true, false],
  array: [[], [[]], [null], ['x'], [{}]],
  object: [{}, { a: 1 }, { name: {} }, { '': '' }],
}

/** Everything the schema of one place can be offended with. */
export function hostileValues(schema: Schema, random: Random): readonly Hostile[] {
  const type = schema.type === 'integer' ? 'number' : schema.type
  const wrong = Object.entries(OF_TYPE).flatMap(([of, values]) =>
    of === type ? [] : [bad(`${of} for ${type}`, random.pick(values))],
  )
  return [...wrong, odd(`null for ${type}`, null), ...OWN[schema.type](schema, random)]
}

const OWN: Readonly<Record<Schema['type'], (schema: Schema, random: Random) => readonly Hostile[]>> = {
  string: texts,
  integer: (schema) => [...numbers(schema), bad('1.5 for an integer', 1.5)],
  number: numbers,
  boolean: () => [],
  array: lists,
  object: objects,
}

const FORGED = '$<Application/prod--eni--fuzz/x/spec.secret/AAAAAAAAAAAAAAAAAAAAAA>'

/** Two UTF-16 units and four bytes each, but one character. */
const WIDE = '😀'

function texts(schema: Schema, random: Random): readonly Hostile[] {
  const { minLength, maxLength } = schema
  const constrained = schema.pattern !== undefined || schema.enum !== undefined || schema.format !== undefined
  const own: Hostile[] = [
    odd('a text of strange characters', random.garble('example', STRANGE)),
    odd('a prototype key as a text', random.pick(PROTOTYPE_KEYS)),
    (constrained || schema.secret !== undefined ? bad : odd)('a forged secret reference', FORGED),
    odd('rotate', 'rotate'),
    odd('a text against backtracking', `${'a-'.repeat(2000)}!`),
  ]
  if (schema.enum !== undefined) own.push(bad('a value outside of the enumeration', `${schema.enum[0]} `))
  if (schema.format !== undefined) own.push(bad('a text of the wrong format', random.pick(['', ' ', 'x', '://', '\n'])))
  if (maxLength !== undefined) {
    own.push(bad('one character too long', WIDE.repeat(maxLength + 1)), bad('far too long', 'x'.repeat(maxLength * 10)))
    if (!constrained) own.push(odd('as long as allowed, in code points', WIDE.repeat(maxLength)))
  } else own.push(odd('a long text', 'x'.repeat(random.pick([300, 5000, 70_000]))))
  // An empty secret counts as none.
  if (minLength !== undefined && minLength > 0 && schema.secret === undefined)
    own.push(bad('one character too short', 'x'.repeat(minLength - 1)))
  return own
}

export const STRANGE = [
  '\u0000',
  '\n',
  '\r\n',
  '\u2028',
  '\u202e',
  '\ufeff',
  '😀',
  'é',
  'İ',
  '"',
  '\\',
  '<',
  '%00',
  '..',
  '/',
  '$<',
  '{{',
  '*',
  ' ',
]
export const PROTOTYPE_KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf']

function numbers({ minimum, maximum }: Schema): readonly Hostile[] {
  return [
    ...(minimum === undefined ? [] : [bad('one below the minimum', minimum - 1)]),
    ...(maximum === undefined ? [] : [bad('one above the maximum', maximum + 1)]),
    odd('-0', -0),
    odd('a huge number', 1e308),
    odd('beyond exact integers', 2 ** 53 + 2),
  ]
}

function lists({ items, maxItems, minItems }: Schema, random: Random): readonly Hostile[] {
  const filled = (length: number): unknown[] => Array<unknown>(length).fill(items?.type === 'object' ? {} : 'x')
  return [
    bad('a list in the list', [[[]]]),
    bad('a null item', [null]),
    odd('a long list', filled(random.pick([100, 1000]))),
    ...(maxItems === undefined ? [] : [bad('one item too many', filled(maxItems + 1))]),
    ...(minItems === undefined || minItems === 0 ? [] : [bad('one item too few', filled(minItems - 1))]),
  ]
}

function objects(schema: Schema, random: Random): readonly Hostile[] {
  const key = random.pick([...PROTOTYPE_KEYS, ...STRANGE, 'k'.repeat(1000)])
  return [
    odd(
      `an object with the key ${JSON.stringify(key.slice(0, 20))}`,
      JSON.parse(`{${JSON.stringify(key)}:{"polluted":1}}`),
    ),
    odd('an object of nulls', Object.fromEntries(Object.keys(schema.properties ?? { a: 1 }).map((k) => [k, null]))),
    odd('an empty object', {}),
  ]
}
