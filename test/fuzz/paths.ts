import { BASE_NAME, basePath, type Case, collectionPath, type Family } from './case.ts'
import { PROTOTYPE_KEYS } from './hostile-values.ts'
import type { Random } from './random.ts'

const SEGMENTS = [
  '..',
  '.',
  '',
  '%2e%2e',
  '%2E',
  '..%2f..',
  '%2f',
  '%5c',
  '%00',
  '%0d%0aX-Injected:%201',
  '%',
  '%zz',
  '%c0%af',
  '%ed%a0%80',
  '%f0%9f%98%80',
  '*',
  ';a=b',
  'a;b',
  '%20',
  '~',
  '@',
  'x'.repeat(254),
  'x'.repeat(9000),
  'é',
  '%25%32%66',
  'status',
  'document',
  'credentials',
  'watch',
  'namespaces',
  'v2',
  'proxy',
  'scale',
  ...PROTOTYPE_KEYS,
]
const METHODS = ['GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PURGE', 'LINK', 'QUERY']
const ODD = [
  '/..',
  '//',
  '///apis',
  '/./apis',
  '/apis/../api/v1',
  '*',
  '/apis?',
  '/apis?&&&===&%',
  '/apis/',
  '/apis//',
  '/api/v1/namespaces//eventtypes',
  '/openapi/v3/../../etc/passwd',
  '/openapi/v3/apis/x',
  '/openapi/v2?x=%ff',
  '/logs/../../etc/passwd',
  '/metrics/x',
  '/healthz/x',
  '/version/../metrics',
  'http://evil.example/apis',
  '/apis#fragment',
  '/api/v1/files/..--..--..--..',
  '/%61pis',
  '/apis/%00',
]

/** Paths that climb, split, repeat, or name what is not there. */
export const wrongPaths: Family = (random, { kinds }): Case => {
  const method = random.pick(METHODS)
  const body = ['POST', 'PUT', 'PATCH', 'QUERY'].includes(method) ? Buffer.from('{}') : undefined
  if (random.chance(0.25)) return { what: 'an odd path', method, path: random.pick(ODD), body }
  const segments = basePath(random.pick(kinds)).split('/').slice(1)
  for (let edits = 1 + random.int(2); edits > 0; edits--)
    segments.splice(random.int(segments.length + 1), random.int(2), random.pick(SEGMENTS))
  const path = wire(`/${segments.join('/')}${random.pick(['', '', '/', '//', '?', '/status', '/..'])}`)
  return { what: 'a broken path', method, path, body }
}

/** Only bytes HTTP allows in a request line; what it does not allow is a case for `raw-http.ts`. */
const wire = (path: string): string => Buffer.from(path).toString('latin1').slice(0, 30_000)

const VALUES = [
  '',
  '0',
  '1',
  '-1',
  '1.5',
  '1e3',
  '0x1f',
  '99999999999999999999',
  'true',
  'false',
  'TRUE',
  'x',
  'null',
  '[]',
  '{}',
  '%00',
  '%ff',
  '%',
  '%0d%0aX-Injected:1',
  '%F0%9F%98%80',
  '+',
  '%2B',
  '..',
  '__proto__',
  'constructor',
  'x'.repeat(20_000),
  '%22%27%3C',
]
const PARAMETERS = [
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'labelSelector',
  'fieldSelector',
  'timeoutSeconds',
  'watch',
  'allowWatchBookmarks',
  'sendInitialEvents',
  'dryRun',
  'fieldManager',
  'fieldValidation',
  'force',
  'propagationPolicy',
  'gracePeriodSeconds',
  'orphanDependents',
  'includeObject',
  'pretty',
  'exact',
  'export',
  '__proto__',
  'toString',
]

/** Every parameter with every nonsense, also several times, on every verb. */
export const wrongParameters: Family = (random, { kinds }): Case => {
  const kind = random.pick(kinds)
  const count = random.chance(0.05) ? 200 : 1 + random.int(4)
  const query = Array.from({ length: count }, () => parameter(random)).join('&')
  const [method, suffix] = random.pick([
    ['GET', ''],
    ['GET', `/${BASE_NAME}`],
    ['HEAD', ''],
    ['PUT', `/${BASE_NAME}`],
    ['PATCH', `/${BASE_NAME}`],
    ['POST', ''],
    ['DELETE', '/not-there'],
  ] as const)
  const body = ['PUT', 'PATCH', 'POST'].includes(method) ? Buffer.from('{"metadata":{}}') : undefined
  const headers = method === 'PATCH' ? ([['Content-Type', 'application/merge-patch+json']] as const) : []
  return { what: 'hostile parameters', method, path: `${collectionPath(kind)}${suffix}?${query}`, headers, body }
}

const parameter = (random: Random): string => {
  const name = random.pick(PARAMETERS)
  if (random.chance(0.1)) return name
  // A long list of long values is one request too long for any header limit, which is a case elsewhere.
  return `${name}=${random.pick(VALUES).slice(0, 6000)}`
}
