import { BASE_NAME, type Case, collectionPath, DOOMED, type Family, type World } from './case.ts'
import { STRANGE } from './hostile-values.ts'
import type { Random } from './random.ts'

const encode = (text: string): string => encodeURIComponent(text.toWellFormed())
const token = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Continue tokens: garbled, cut, forged, old, and those of other kinds. */
function continueTokens(random: Random, { tokens, revision }: World): string {
  const real = tokens.length > 0 ? random.pick(tokens) : token([1, revision, 'x'])
  const forged = random.pick<unknown>([
    [1, revision, ''],
    [1, 0, ''],
    [1, 1, 'x'],
    [1, revision + 1e6, 'x'],
    [1, -1, 'x'],
    [1, revision, '../../secrets/'],
    [1, revision, '\u0000'],
    [1, revision, '\uffff'.repeat(100)],
    [1, revision, 1],
    [2, revision, 'x'],
    { v: 1 },
    null,
    [1, 1.5, 'x'],
    [1, revision, 'x', 'y'],
  ])
  const value = random.pick([
    real,
    real.slice(0, random.int(real.length)),
    random.garble(real, ['A', '_', '-', '=', '/']),
    token(forged),
    'x'.repeat(5000),
    real + real,
  ])
  return `limit=${random.pick([1, 2, 500])}&continue=${encode(value)}`
}

const LABEL_PARTS = [
  'a',
  'some',
  '=',
  '==',
  '!=',
  '!',
  ' in ',
  ' notin ',
  '(',
  ')',
  ',',
  '<',
  '>',
  '1',
  'x y',
  '',
  '__proto__',
  'é',
  '\u0000',
  'a/b',
  '/',
]

function selectors(random: Random): string {
  const text = random.chance(0.7)
    ? Array.from({ length: 1 + random.int(8) }, () => random.pick(LABEL_PARTS)).join('')
    : random.pick([
        `a in (${'x,'.repeat(3000)}x)`,
        '('.repeat(5000),
        'a=b,'.repeat(2000),
        '!'.repeat(5000),
        'a'.repeat(16_000),
      ])
  const fields = random.pick([
    'metadata.name',
    'metadata.namespace',
    'spec.zone',
    '__proto__',
    'constructor.name',
    'status.phase',
    '',
    'involvedObject.name',
  ])
  return random.pick([
    `labelSelector=${encode(text)}`,
    `fieldSelector=${encode(text)}`,
    `fieldSelector=${encode(`${fields}${random.pick(['=', '!=', '==', '', '==='])}${random.garble('x', STRANGE)}`)}`,
    `fieldSelector=${encode('\\'.repeat(5001))}`,
  ])
}

function versions(random: Random, { revision }: World): string {
  const version = random.pick([
    '',
    '0',
    '1',
    '-1',
    'x',
    '1.5',
    String(revision),
    String(revision + 1e9),
    '9'.repeat(400),
    ' 1',
    '+1',
    '٣',
  ])
  const match = random.pick([
    '',
    '&resourceVersionMatch=Exact',
    '&resourceVersionMatch=NotOlderThan',
    '&resourceVersionMatch=x',
  ])
  return `resourceVersion=${encode(version)}${match}${random.pick(['', '&limit=1', '&limit=-1', '&continue=x'])}`
}

const ACCEPTS = [
  'application/json',
  'application/yaml',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=Table;g=meta.k8s.io;v=v9',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  'application/json;as=__proto__;g=meta.k8s.io;v=v1',
  'application/vnd.kubernetes.protobuf',
  'text/html',
  '*/*;q=x',
  ',,,;;;===',
  'a/b,'.repeat(2000),
  '"',
]

/** Lists and gets with hostile windows, selectors and forms. */
export const wrongReads: Family = (random, world): Case => {
  const kind = random.pick(world.kinds)
  const query = random.pick([continueTokens, selectors, versions])(random, world)
  const one = random.chance(0.15) ? `/${BASE_NAME}` : ''
  const headers = random.chance(0.3) ? ([['Accept', random.pick(ACCEPTS)]] as const) : []
  return {
    what: 'a hostile read',
    method: random.pick(['GET', 'GET', 'GET', 'HEAD']),
    path: `${collectionPath(kind)}${one}?${query}`,
    headers,
  }
}

/** Watches with hostile beginnings; those that are granted end at once. */
export const wrongWatches: Family = (random, world): Case => {
  const kind = random.pick(world.kinds)
  const query = random.pick([continueTokens, selectors, versions])(random, world)
  const more = random.pick([
    '',
    '&sendInitialEvents=true',
    '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
    '&timeoutSeconds=-5',
    '&timeoutSeconds=x',
    '&allowWatchBookmarks=maybe',
  ])
  const headers = random.chance(0.3) ? ([['Accept', random.pick(ACCEPTS)]] as const) : []
  const old = random.chance(0.2)
  const path = old ? collectionPath(kind).replace('/v1/', '/v1/watch/') : collectionPath(kind)
  return {
    what: 'a hostile watch',
    method: 'GET',
    path: `${path}?watch=${random.pick(['1', 'true', 'x'])}&${query}${more}`,
    headers,
  }
}

const OPTIONS: readonly unknown[] = [
  {},
  [],
  null,
  1,
  'x',
  { kind: 'Pod' },
  { kind: 'DeleteOptions', apiVersion: 1 },
  { kind: 'DeleteOptions', apiVersion: 'x/y/z' },
  { gracePeriodSeconds: 'soon' },
  { gracePeriodSeconds: -1 },
  { gracePeriodSeconds: 1e300 },
  { propagationPolicy: 'Sideways' },
  { propagationPolicy: 1 },
  { propagationPolicy: 'Orphan', orphanDependents: true },
  { orphanDependents: 'yes' },
  { preconditions: 1 },
  { preconditions: { uid: 1 } },
  { preconditions: { uid: 'other', resourceVersion: 'x' } },
  { preconditions: { resourceVersion: '1' } },
  { dryRun: 'All' },
  { dryRun: ['Some'] },
  { dryRun: [1] },
]

/** Deletions, where there is nothing to lose. */
export const wrongDeletes: Family = (random, world): Case => {
  const kind = random.pick(world.kinds)
  const cluster = kind.scope === 'Cluster'
  const one = cluster || random.chance(0.6) ? `/${random.pick(['not-there', 'doomed', '__proto__'])}` : ''
  const query = random.pick([
    '',
    '',
    '?dryRun=All',
    '?dryRun=x',
    '?propagationPolicy=x',
    '?gracePeriodSeconds=x',
    `?${selectors(random)}`,
    '?orphanDependents=maybe',
  ])
  const text = random.chance(0.15)
    ? random.pick(['{', '"', '\ufeff{}', '{"__proto__":{"dryRun":["All"]}}', '[[[['])
    : JSON.stringify(random.pick(OPTIONS))
  return {
    what: 'a hostile deletion',
    method: 'DELETE',
    path: `${collectionPath(kind, DOOMED)}${one}${query}`,
    body: Buffer.from(text),
  }
}
