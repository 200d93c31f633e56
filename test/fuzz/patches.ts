import { BASE_NAME, basePath, type Case, type Family, nameFor } from './case.ts'
import { encodeWith, pickFragment, PLACE } from './hostile-json.ts'
import { hostileValues, PROTOTYPE_KEYS, STRANGE } from './hostile-values.ts'
import { placesOf } from './bodies.ts'
import type { Random } from './random.ts'
import { withValueAt } from './schema-paths.ts'
import { validObjectOf } from './valid-value.ts'
import type { Kind } from '#domain/kind.ts'

const JSON_PATCH = 'application/json-patch+json'
const MERGE = 'application/merge-patch+json'
const STRATEGIC = 'application/strategic-merge-patch+json'
const APPLY = 'application/apply-patch+yaml'

interface Made {
  readonly what: string
  readonly type: string
  readonly body: Buffer
  readonly refused?: boolean
  readonly query?: string
}

const made = (what: string, type: string, value: unknown, refused = false): Made => ({
  what,
  type,
  body: typeof value === 'string' ? Buffer.from(value) : Buffer.from(JSON.stringify(value)),
  refused,
})

const POINTERS = [
  '',
  '/',
  '//',
  'spec',
  '/spec/~',
  '/spec/~2',
  '/~0~1',
  '/__proto__/polluted',
  '/constructor/prototype/polluted',
  '/spec/__proto__',
  '/metadata/labels/__proto__',
  '/metadata/name',
  '/metadata/uid',
  '/metadata/resourceVersion',
  '/metadata/managedFields/0',
  '/apiVersion',
  '/kind',
  '/status/conditions/-',
  '/spec/zone/name/0',
  '/metadata/finalizers/-1',
  '/metadata/finalizers/00',
  '/metadata/finalizers/1e0',
  '/metadata/finalizers/length',
  '/metadata/finalizers/4294967295',
  '/metadata/finalizers/-',
  `/${'a/'.repeat(5000)}`,
]

function jsonPatches(random: Random): Made {
  const path = random.chance(0.8) ? random.pick(POINTERS) : random.garble('/spec/zone/name', STRANGE)
  const from = random.pick(POINTERS)
  const value = random.pick<unknown>([
    null,
    {},
    [],
    'x',
    1,
    { __proto__: null, a: 1 },
    JSON.parse('{"__proto__":{"polluted":1}}'),
  ])
  const op = random.pick(['add', 'remove', 'replace', 'move', 'copy', 'test'])
  const roll = random.int(12)
  if (roll < 7) return made(`JSON patch ${op} ${path.slice(0, 40)}`, JSON_PATCH, [{ op, path, from, value }])
  return random.pick([
    made(
      'a JSON patch that is none',
      JSON_PATCH,
      random.pick<unknown>([{}, 'x', 'null', '1', [1], [null], [[]], [{}]]),
      true,
    ),
    made(
      'an unknown operation',
      JSON_PATCH,
      [{ op: random.pick(['', 'ADD', '__proto__', 1, null]), path: '/spec' }],
      true,
    ),
    made(
      'a pointer that is no text',
      JSON_PATCH,
      [{ op: 'add', path: random.pick<unknown>([1, null, {}, ['spec']]), value: 1 }],
      true,
    ),
    made(
      '10 001 operations',
      JSON_PATCH,
      Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'x' })),
      true,
    ),
    made('copies that double', JSON_PATCH, copyBomb(), true),
    made('a test on a secret', JSON_PATCH, [{ op: 'test', path: '/spec/secret', value: 'guess' }]),
    made('a move into itself', JSON_PATCH, [{ op: 'move', from: '/spec', path: '/spec/x' }], true),
    made('nesting by copies', JSON_PATCH, nestingBomb()),
  ])
}

const copyBomb = (): unknown[] => [
  { op: 'add', path: '/metadata/annotations', value: { a0: 'x'.repeat(1000) } },
  ...Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/metadata', path: `/metadata/b${i}` })),
]

const nestingBomb = (): unknown[] => [
  { op: 'add', path: '/bomb', value: {} },
  ...Array.from({ length: 300 }, () => ({ op: 'copy', from: '/bomb', path: '/bomb/a' })),
]

function mergePatches(random: Random, kind: Kind): Made {
  const { steps, schema } = random.pick(placesOf(kind).spec)
  const { what, value, refused } = random.pick(hostileValues(schema, random))
  const type = random.pick([MERGE, MERGE, STRATEGIC, APPLY])
  if (random.chance(0.5)) {
    // A null deletes; what that leaves may be whole. Text without a type may be a reference that counts as kept.
    const whole =
      type === APPLY ? withValueAt(validObjectOf(kind, random, 0), steps, value) : withValueAt({}, steps, value)
    return made(
      `${what} at ${steps.join('.')} by ${type}`,
      type,
      whole,
      refused && (type !== STRATEGIC || kind.kind !== 'Namespace'),
    )
  }
  return random.pick([
    made('a merge patch that is no object', MERGE, random.pick<unknown>(['null', '1', '"x"', '[]', '[{}]']), true),
    made('a merge patch of nulls', MERGE, { metadata: null, spec: null, apiVersion: null, kind: null }),
    made('a merge patch of scalars', MERGE, { metadata: 1, spec: 'x', status: [] }, true),
    made('another identity', MERGE, { metadata: { name: 'other', namespace: 'other', uid: 'other' } }, true),
    made(
      'prototype keys',
      MERGE,
      `{"${random.pick(PROTOTYPE_KEYS)}":{"polluted":1},"spec":{"__proto__":{"polluted":1}}}`,
    ),
    made('prototype labels', MERGE, '{"metadata":{"labels":{"__proto__":"x","constructor":"y"}}}'),
    made('strategic directives', STRATEGIC, {
      $patch: random.pick(['delete', 'replace', 'x', 1]),
      spec: { $retainKeys: ['a'], '$deleteFromPrimitiveList/finalizers': ['x'] },
    }),
    made('a strategic setElementOrder', STRATEGIC, {
      metadata: { '$setElementOrder/finalizers': random.pick<unknown>([1, [{}], ['a', 'b']]) },
    }),
  ])
}

const bomb = (): string => {
  const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x]']
  for (let i = 1; i < 9; i++)
    lines.push(
      `a${i}: &a${i} [${Array(9)
        .fill(`*a${i - 1}`)
        .join(',')}]`,
    )
  return lines.join('\n')
}

/** Each level costs one alias, so nobody who counts expansions notices how deep it gets. */
const chain = (length: number): string =>
  ['c0: &c0 [x]', ...Array.from({ length }, (_, i) => `c${i + 1}: &c${i + 1} [*c${i}]`)].join('\n')

function applies(random: Random, kind: Kind): Made {
  const object = validObjectOf(kind, random, 0.3)
  const text = JSON.stringify(object)
  const yaml = `apiVersion: ${object.apiVersion}\nkind: ${object.kind}\nmetadata:\n  name: ${nameFor(kind, BASE_NAME)}\n`
  const [what, body, refused] = random.pick<readonly [string, string, boolean]>([
    ['YAML that is none', `${yaml}spec: [`, true],
    ['YAML with tabs', `${yaml}\tspec: {}`, true],
    ['aliases that multiply', `${bomb()}\n${yaml}`, true],
    ['an alias of itself', `${yaml}spec: &a\n  b: *a\n`, true],
    ['a chain of aliases', `${chain(random.pick([150, 1000, 3000, 9000]))}\n${yaml}`, true],
    ['an unknown anchor', `${yaml}spec: *nowhere\n`, true],
    ['two documents', `${yaml}---\n${yaml}`, true],
    ['a YAML merge key', `${yaml}spec:\n  <<: {__proto__: {polluted: 1}}\n`, false],
    ['a YAML tag', `${yaml}spec: !!js/function "x"\n`, false],
    ['a YAML complex key', `${yaml}? [a, b]\n: 1\n`, false],
    ['YAML with not a number', `${yaml}spec:\n  x: .nan\n`, true],
    ['YAML a hundred levels deep', `${yaml}spec: ${'{a: '.repeat(150)}1${'}'.repeat(150)}`, true],
    ['YAML lists in lists in lists', `${yaml}spec:\n  x: ${'- '.repeat(300)}1`, true],
    ['YAML with brackets without end', `${yaml}spec: ${'['.repeat(5000)}`, true],
    ['YAML with prototype keys', `${yaml}__proto__:\n  polluted: 1\nspec:\n  __proto__:\n    polluted: 1\n`, false],
    ['YAML with the same key twice', `${yaml}kind: Other\n`, false],
    [
      'an apply with managedFields',
      text.replace('"metadata":{', '"metadata":{"managedFields":[{"manager":"x"}],'),
      true,
    ],
    ['an apply of another name', text.replace(BASE_NAME, 'other'), false],
    ['an empty apply', '', true],
    ['a scalar apply', 'x', true],
    ['a list apply', '[]', true],
  ])
  return { ...made(what, APPLY, body, refused), query: random.pick(MANAGERS) }
}

const MANAGERS = [
  '?fieldManager=fuzz&force=true',
  '?fieldManager=fuzz',
  '?fieldManager=fuzz&force=maybe',
  `?fieldManager=${'m'.repeat(128)}&force=true`,
  `?fieldManager=${'m'.repeat(129)}`,
  '?fieldManager=%00',
  '?fieldManager=__proto__&force=true',
  '?fieldManager=a&fieldManager=b',
  '',
]

function fragments(random: Random, kind: Kind): Made {
  const type = random.pick([MERGE, JSON_PATCH, STRATEGIC, APPLY])
  const { steps } = random.pick(placesOf(kind).spec)
  const { what, bytes, refused } = pickFragment(random)
  const shape =
    type === JSON_PATCH
      ? [{ op: 'add', path: `/${steps.join('/')}`, value: PLACE }]
      : withValueAt(type === APPLY ? validObjectOf(kind, random, 0) : {}, steps, PLACE)
  return { what: `${what} by ${type}`, type, body: encodeWith(shape, bytes), refused }
}

export const wrongPatches: Family = (random, { kinds }): Case => {
  const kind = random.pick(kinds)
  const build = random.pick([jsonPatches, mergePatches, applies, fragments])
  const { what, type, body, refused, query } = build(random, kind)
  const status = random.chance(0.15) && type !== STRATEGIC
  const search = query ?? (type === APPLY ? '?fieldManager=fuzz&force=true' : random.chance(0.05) ? '?force=true' : '')
  const path = `${basePath(kind)}${status ? '/status' : ''}${search}`
  return { what, method: 'PATCH', path, headers: [['Content-Type', type]], body, refused: refused === true && !status }
}
