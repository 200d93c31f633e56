import { BASE_NAME, type Case, type Family, NAMESPACE } from './case.ts'
import { TINY } from './hostile-yaml.ts'
import type { Random } from './random.ts'

const IDS = [
  `${NAMESPACE}--file`,
  'prod--eni--fuzz',
  '--------',
  '..--..--..--..',
  'a--b--c--d--e',
  '%2e%2e--a--b--c',
  '__proto__--a--b--c',
  'A--B--C--D',
  'a--b--c--%00',
  `a--b--c--${'d'.repeat(300)}`,
  'a--b--c--d%2f..%2fe',
  'a--b--c--d/e',
  '',
]
const TYPES = [
  'text/plain',
  'application/yaml',
  'text/html; charset=utf-8',
  'x',
  '',
  'a/b\t',
  'text/html"><script>',
  `a/${'b'.repeat(200)}`,
  '../../x',
]

/** The file manager: ids that climb, lies about types and checksums. */
function fileCase(random: Random): Case {
  const method = random.pick(['PUT', 'PUT', 'GET', 'HEAD', 'DELETE', 'POST', 'PATCH'])
  const body = method === 'PUT' ? Buffer.from(random.text(random.pick([0, 1, 100, 20_000]))) : undefined
  const headers: [string, string][] = [['Content-Type', 'application/octet-stream']]
  if (random.chance(0.8)) headers.push(['X-File-Content-Type', random.pick(TYPES)])
  if (random.chance(0.4)) headers.push(['X-File-Checksum', random.pick(['x', '', 'A'.repeat(44), '\t'])])
  return { what: 'a hostile file', method, path: `/api/v1/files/${random.pick(IDS)}`, headers, body }
}

const DOCUMENTS = [
  '',
  '{}',
  '[]',
  'openapi: 3.0.0',
  'openapi: [',
  'openapi: 3.0.0\ninfo: 1\npaths: x\nservers: {}',
  'openapi: 3.0.0\ninfo: {title: x, version: 1}\nservers: [{url: "http://x/../.."}]\npaths: {}',
  'openapi: 3.0.0\ninfo: {title: x, version: 1.0.0}\nservers: [{url: "javascript:alert(1)"}]\npaths: {}',
  'swagger: "2.0"\nbasePath: {}\ninfo: null',
  'swagger: "2.0"\ninfo: {title: x, version: "1"}\nbasePath: /__proto__\npaths: {__proto__: {polluted: 1}}',
  'a: &a [*a]',
  `a0: &a [x,x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [${i === 0 ? '*a,*a' : `*b${i - 1},*b${i - 1}`}]`).join('\n')}\nopenapi: 3.0.0`,
  `openapi: 3.0.0\ninfo: ${'{a: '.repeat(5000)}`,
  `{"openapi":"3.0.0","x":${'['.repeat(20_000)}`,
  'openapi: 3.0.0\ninfo: {version: "1\u0000"}',
]

/** The long ones are rare: a hundred thousand cases have to fit into minutes. */
const documentOf = (random: Random): string => (random.chance(0.05) ? random.pick(DENSE) : random.pick(DOCUMENTS))

const DENSE = TINY.map((text) => `openapi: 3.0.0\nx:\n${text.repeat(60_000 / text.length)}`)

/** The two subresources that do something of their own. */
function subresourceCase(random: Random): Case {
  if (random.chance(0.4)) {
    const name = random.pick([BASE_NAME, 'nobody', '%00', '..%2f', '__proto__'])
    const path = `/apis/application.cp.ei.vendor.de/v1/namespaces/${NAMESPACE}/applications/${name}/credentials`
    return {
      what: 'a hostile credentials request',
      method: random.pick(['POST', 'GET', 'PUT', 'DELETE']),
      path,
      body: Buffer.from(documentOf(random)),
    }
  }
  const name = random.pick([BASE_NAME, 'eni--fuzz--v1', '__proto__', 'x'.repeat(300)])
  const path = `/apis/rover.cp.ei.vendor.de/v1/namespaces/${NAMESPACE}/apispecifications/${name}/document`
  const type = random.pick(['application/yaml', 'application/json', 'text/plain', 'x'])
  return {
    what: 'a hostile document',
    method: random.pick(['PUT', 'PUT', 'PUT', 'GET', 'POST']),
    path,
    headers: [['Content-Type', type]],
    body: Buffer.from(documentOf(random)),
  }
}

export const wrongFiles: Family = (random) => (random.chance(0.5) ? fileCase(random) : subresourceCase(random))
