import { basePath, BASE_NAME, type Case, collectionPath, DOOMED, type Family, NAMESPACE } from './case.ts'
import { PROTOTYPE_KEYS, STRANGE } from './hostile-values.ts'
import type { Random } from './random.ts'
import { validObjectOf } from './valid-value.ts'

type Made = readonly [what: string, metadata: Record<string, unknown>, refused: boolean]

const own = (key: string, value: unknown): Record<string, unknown> =>
  JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(value)}}`) as Record<string, unknown>

/** Names people could try to climb, to split or to spoof with. */
const names = (random: Random): readonly Made[] =>
  [
    '',
    '.',
    '..',
    '-',
    'A',
    'a_b',
    'a/b',
    'a b',
    'a\u0000b',
    'x'.repeat(254),
    'é',
    '😀',
    'a..b',
    '-a',
    'a-',
    '%2e%2e',
    'a\n',
  ]
    .map((name): Made => [`the name ${JSON.stringify(name.slice(0, 20))}`, { name }, true])
    .concat([
      ['a garbled name', { name: random.garble(BASE_NAME, STRANGE) }, false],
      ['a name that is a prototype key', { name: random.pick(PROTOTYPE_KEYS) }, false],
      ['a hostile generateName', { name: undefined, generateName: random.garble('gen-', STRANGE) }, false],
      [
        'a long generateName',
        { name: undefined, generateName: `${'g'.repeat(random.pick([57, 58, 59, 63, 253, 254]))}-` },
        false,
      ],
      ['no name', { name: undefined }, true],
      ['another namespace', { namespace: DOOMED }, false],
      ['a hostile namespace', { namespace: random.garble(NAMESPACE, STRANGE) }, false],
    ])

const maps = (random: Random): readonly Made[] =>
  ['labels', 'annotations'].flatMap((field): Made[] => [
    [`${field} with a prototype key`, { [field]: own(random.pick(PROTOTYPE_KEYS), 'x') }, false],
    [`${field} with an object under a prototype key`, { [field]: own('__proto__', { polluted: 'yes' }) }, true],
    [
      `${field} with a bad key`,
      { [field]: own(random.pick(['', '/', 'a/', '/a', 'a/b/c', 'é', 'x'.repeat(64), ' ']), 'x') },
      true,
    ],
    [`${field} with a garbled key`, { [field]: own(random.garble('example.com/some', STRANGE), 'x') }, false],
    [`a number in ${field}`, { [field]: { a: 1 } }, true],
    [`a null in ${field}`, { [field]: { a: null } }, false],
    [`a list as ${field}`, { [field]: ['a'] }, true],
    [
      `many ${field}`,
      { [field]: Object.fromEntries(Array.from({ length: random.pick([256, 257, 5000]) }, (_, i) => [`k${i}`, 'v'])) },
      false,
    ],
  ])

const lists = (random: Random): readonly Made[] => [
  ['a finalizer without a name', { finalizers: [''] }, true],
  ['finalizers of the wrong type', { finalizers: random.pick([{}, 'x', [1], [null], [[]]]) }, true],
  ['a garbled finalizer', { finalizers: [random.garble('example.com/hold', STRANGE)] }, false],
  ['many finalizers', { finalizers: Array.from({ length: 5000 }, (_, i) => `example.com/f${i}`) }, false],
  ['a prototype key as a finalizer', { finalizers: PROTOTYPE_KEYS }, false],
  ['owners of the wrong type', { ownerReferences: random.pick([{}, 'x', [1], [null], [[]], [{ uid: 1 }]]) }, true],
  ['an empty owner', { ownerReferences: [{}] }, true],
  ['many empty owners', { ownerReferences: Array.from({ length: 10_000 }, () => ({})) }, true],
  ['many finalizers that are none', { finalizers: Array.from({ length: 10_000 }, (_, i) => `%${i}`) }, true],
  ['an owner with a prototype kind', { ownerReferences: [owner({ kind: random.pick(PROTOTYPE_KEYS) })] }, false],
  ['an owner that is not there', { ownerReferences: [owner({ uid: random.garble('a-b-c', STRANGE) })] }, false],
  [
    'two controllers',
    { ownerReferences: [owner({ controller: true }), owner({ controller: true, uid: 'other' })] },
    true,
  ],
  [
    'many owners',
    { ownerReferences: Array.from({ length: 3000 }, (_, i) => owner({ uid: `u${i}`, name: `n${i}` })) },
    false,
  ],
  [
    'managedFields of the wrong type',
    { managedFields: random.pick([{}, 'x', [1], [null], [{ fieldsV1: 'x' }]]) },
    false,
  ],
  ['hostile managedFields', { managedFields: [managed(random)] }, false],
]

const owner = (changes: object): object => ({
  apiVersion: 'event.cp.ei.vendor.de/v1',
  kind: 'EventType',
  name: 'nobody',
  uid: 'no-such-uid',
  ...changes,
})

function managed(random: Random): object {
  const fields = random.pick([
    own('f:__proto__', { '.': {} }),
    own('f:spec', own('f:__proto__', {})),
    own('k:{"name":', {}),
    own('v:{', {}),
    own('i:99999999999', {}),
    own(random.garble('f:spec', STRANGE), {}),
    [],
    null,
  ])
  return {
    manager: random.pick(['', 'x', random.text(2000), '__proto__']),
    operation: random.pick(['Apply', 'Update', 'Steal', '']),
    apiVersion: random.pick(['v1', 'x/y/z', '']),
    time: random.pick(['2026-01-01T00:00:00Z', 'yesterday', '']),
    fieldsType: random.pick(['FieldsV1', 'FieldsV9', '']),
    fieldsV1: fields,
    ...(random.chance(0.3) && { subresource: random.pick(['status', 'scale', '__proto__']) }),
  }
}

const stamps = (random: Random): readonly Made[] => [
  [
    'a version on create',
    { resourceVersion: random.pick(['x', '1', '-1', '99999999999999999999', '0x1', ' ']) },
    false,
  ],
  ['times that are none', { creationTimestamp: random.pick(['x', 1, {}, '2026-13-45T99:99:99Z']) }, false],
  ['a deletion of its own', { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: -1 }, false],
  ['a generation of its own', { generation: random.pick([-1, 1.5, 2 ** 53, 'x', {}]) }, false],
  ['a uid of its own', { uid: random.pick(['', 'x', '00000000-0000-0000-0000-000000000000', 1]) }, false],
  ['an unknown field', own(random.pick(['polluted', ...PROTOTYPE_KEYS]), { polluted: 1 }), false],
]

/** A valid object with metadata nobody honest sends. */
export const wrongMetadata: Family = (random, { kinds }): Case => {
  const kind = random.pick(kinds)
  const [what, metadata, refused] = pickMade(random)
  const create = random.chance(0.7)
  const object = validObjectOf(kind, random, 0.2, create ? `m-${random.text(8)}` : undefined)
  const body = JSON.stringify({
    ...object,
    metadata: mergeOwn(object.metadata, metadata),
  })
  const path = create ? collectionPath(kind) : basePath(kind)
  return { what, method: create ? 'POST' : 'PUT', path, body: Buffer.from(body), refused }
}

const pickMade = (random: Random): Made => random.pick(random.pick([names, maps, lists, stamps])(random))

/** Keeps an own `__proto__` an own key. */
function mergeOwn(base: object, changes: object): object {
  return Object.defineProperties({ ...base }, Object.getOwnPropertyDescriptors(changes))
}
