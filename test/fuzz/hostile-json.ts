import type { Random } from './random.ts'

/** JSON text that no encoder writes, to be put in the place of one value. */
export interface Fragment {
  readonly what: string
  readonly bytes: Buffer
  /** No JSON document that holds it may be accepted. */
  readonly refused: boolean
}

const fragment = (what: string, text: string | Buffer, refused: boolean): Fragment => ({
  what,
  bytes: Buffer.from(text as string),
  refused,
})

const nested = (depth: number, open: string, close: string): string => `${open.repeat(depth)}1${close.repeat(depth)}`

const FRAGMENTS: readonly Fragment[] = [
  ...['1e400', '-1e400', '18446744073709551616', '-9223372036854775809', '9'.repeat(5000)].map((n) =>
    fragment(`the number ${n.slice(0, 20)}`, n, true),
  ),
  ...['-0', '-0.0', '9223372036854775808', '1e-400', '1E2', '9007199254740993', '0.1e1', `0.${'1'.repeat(5000)}`].map(
    (n) => fragment(`the number ${n.slice(0, 20)}`, n, false),
  ),
  ...['01', '+1', '.5', '1.', '0x10', '1e', 'NaN', 'Infinity', '-', 'tru', 'nul', 'undefined', "'a'", '/**/1'].map(
    (n) => fragment(`no JSON: ${n}`, n, true),
  ),
  ...[',', '}', ']', '[', '{', '[1,]', '{"a":1,}', '{a:1}', '"', '"\\', '"\\x41"', '"\\u12"', '1 2'].map((n) =>
    fragment(`no JSON: ${n}`, n, true),
  ),
  fragment('nothing', '', false),
  fragment('a lone high surrogate', '"\\ud800"', true),
  fragment('a lone low surrogate', '"\\udc00x"', true),
  fragment('surrogates the wrong way round', '"\\udc00\\ud800"', true),
  fragment('a lone surrogate as a key', '{"\\ud800":1}', true),
  fragment('an escaped NUL', '"\\u0000"', false),
  fragment('a raw NUL', '"\u0000"', true),
  fragment('a raw tab', '"\t"', true),
  fragment('a byte 0xff', Buffer.from([0x22, 0xff, 0x22]), true),
  fragment('an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), true),
  fragment('a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), true),
  fragment('half a character', Buffer.from([0x22, 0xe2, 0x82, 0x22]), true),
  fragment('a byte order mark', Buffer.from('\ufeff1'), true),
  fragment('the same key twice', '{"a":1,"a":2}', false),
  fragment('the same key twice, once escaped', '{"a":1,"\\u0061":2}', false),
  fragment('__proto__ as a key', '{"__proto__":{"polluted":true}}', false),
  fragment('__proto__ twice', '{"__proto__":1,"__proto__":{"polluted":true}}', false),
  fragment('constructor.prototype as keys', '{"constructor":{"prototype":{"polluted":true}}}', false),
  fragment('toString and the like as keys', '{"toString":1,"valueOf":2,"hasOwnProperty":3,"toJSON":4,"then":5}', false),
  ...[100, 127, 128, 129, 10_000].flatMap((depth) => [
    fragment(`lists ${depth} deep`, nested(depth, '[', ']'), depth > 128),
    fragment(`objects ${depth} deep`, nested(depth, '{"a":', '}'), depth > 128),
  ]),
  fragment('10 000 lists that never end', '['.repeat(10_000), true),
  fragment('20 000 keys', `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":"v"`).join(',')}}`, false),
  fragment('20 000 items', `[${Array(20_000).fill('"x"').join(',')}]`, false),
  fragment('a million items', `[${'1,'.repeat(1_000_000)}1]`, true),
  fragment('200 000 keys', `{${Array.from({ length: 200_000 }, (_, i) => `"k${i}":1`).join(',')}}`, true),
  fragment('a text of a megabyte', `"${'x'.repeat(1_000_000)}"`, false),
  fragment('a key of 100 000 characters', `{"${'k'.repeat(100_000)}":1}`, false),
]

/** The large ones are rare: ten thousand cases have to fit into seconds. */
export function pickFragment(random: Random): Fragment {
  const found = random.pick(FRAGMENTS)
  return found.bytes.length > 10_000 && random.chance(0.9) ? random.pick(FRAGMENTS.slice(0, 20)) : found
}

const PLACEHOLDER = '@@fragment@@'

/** Stands for a fragment inside an ordinary value; see `encodeWith`. */
export const PLACE = PLACEHOLDER

/** The JSON of a value, with the fragment in the place it was put at. */
export function encodeWith(value: unknown, bytes: Buffer): Buffer {
  const [before = '', after = ''] = JSON.stringify(value).split(`"${PLACEHOLDER}"`)
  return Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)])
}
