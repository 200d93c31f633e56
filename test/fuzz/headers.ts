import { gzipSync } from 'node:zlib'
import { LARGEST_YAML } from '#apiserver/decode-body.ts'
import { basePath, type Case, collectionPath, type Family, type Headers } from './case.ts'
import { TINY } from './hostile-yaml.ts'
import type { Random } from './random.ts'
import { validObjectOf } from './valid-value.ts'

const TYPES = [
  '',
  'text/plain',
  'application/xml',
  'application/jsonp',
  'application/json; charset=utf-16',
  'application/json;;;;',
  'APPLICATION/JSON',
  'application/vnd.kubernetes.protobuf',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/yaml',
  'application/apply-patch+yaml',
  '*/*',
  '__proto__',
  `application/json; x=${'y'.repeat(8000)}`,
]
const AUTHORIZATIONS = [
  '',
  'Bearer',
  'Bearer ',
  'Basic YWRtaW46YWRtaW4=',
  `Bearer ${'x'.repeat(20_000)}`,
  'Bearer \u00ff\u00fe',
  'Bearer a b',
  'Bearer __proto__',
  'Digest x',
]

function oddHeaders(random: Random): readonly [string, Headers] {
  return random.pick<readonly [string, Headers]>([
    ['an odd content type', [['Content-Type', random.pick(TYPES)]]],
    ['no authorization to speak of', [['Authorization', random.pick(AUTHORIZATIONS)]]],
    ['impersonation', [['Impersonate-User', random.pick(['admin', '', '__proto__'])]]],
    ['a compressed body', [['Content-Encoding', 'gzip']]],
    ['an unknown encoding', [['Content-Encoding', random.pick(['br', 'x', 'gzip, gzip', ''])]]],
    ['an odd accept', [['Accept', random.pick(TYPES)]]],
    ['an odd accept encoding', [['Accept-Encoding', random.pick(['', '*;q=0', 'identity;q=0', 'x'.repeat(5000)])]]],
    [
      'an upgrade',
      [
        ['Connection', 'Upgrade'],
        ['Upgrade', random.pick(['websocket', 'SPDY/3.1', 'h2c'])],
      ],
    ],
    ['an expectation', [['Expect', random.pick(['100-continue', '100-Continue', '200-ok', 'x'])]]],
    ['a cookie of 20 KB', [['Cookie', 'c'.repeat(20_000)]]],
    ['many headers', Array.from({ length: random.pick([100, 1000]) }, (_, i) => [`X-${i}`, 'v'] as const)],
    [
      'prototype headers',
      [
        ['__proto__', 'x'],
        ['constructor', 'y'],
        ['toString', 'z'],
      ],
    ],
    [
      'the same header twice',
      [
        ['Accept', 'application/json'],
        ['Accept', 'text/html'],
        ['User-Agent', 'a'],
        ['User-Agent', 'b'],
      ],
    ],
    ['an odd user agent', [['User-Agent', random.pick(['', '/', '\u00ff', 'x'.repeat(5000), '__proto__/1'])]]],
    [
      'forwarded',
      [
        ['X-Forwarded-For', '127.0.0.1'],
        ['X-HTTP-Method-Override', 'DELETE'],
        ['X-Remote-User', 'admin'],
      ],
    ],
    [
      'a condition',
      [
        ['If-None-Match', random.pick(['*', '"x"', '"'])],
        ['If-Match', '*'],
        ['Range', 'bytes=0-1'],
      ],
    ],
    ['an odd host', [['Host', random.pick(['', 'evil.example', 'a b', '[::1', 'x'.repeat(1000)])]]],
  ])
}

/** Ordinary requests with headers that are not. */
export const wrongHeaders: Family = (random, { kinds }): Case => {
  const kind = random.pick(kinds)
  const [what, headers] = oddHeaders(random)
  if (random.chance(0.3)) return { what, method: 'GET', path: collectionPath(kind), headers }
  const post = random.chance(0.5)
  const object = validObjectOf(kind, random, 0, post ? `h-${random.text(8)}` : undefined)
  const text = Buffer.from(JSON.stringify(object))
  const body = what === 'a compressed body' ? gzipSync(random.chance(0.5) ? text : Buffer.alloc(1_000_000)) : text
  const path = post ? collectionPath(kind) : basePath(kind)
  return { what, method: post ? 'POST' : 'PUT', path, headers, body, refused: what === 'a compressed body' }
}

/** A body in a form whose name it does not deserve. */
export const wrongEncodings: Family = (random, { kinds }): Case => {
  const kind = random.pick(kinds)
  const text = JSON.stringify(validObjectOf(kind, random, 0.2))
  const [what, type, body, refused] = random.pick<readonly [string, string, Buffer, boolean]>([
    ['protobuf without its mark', 'application/vnd.kubernetes.protobuf', Buffer.from(text), true],
    [
      'random protobuf',
      'application/vnd.kubernetes.protobuf',
      Buffer.concat([Buffer.from('k8s\u0000'), bytes(random, 300)]),
      false,
    ],
    [
      'protobuf lengths that lie',
      'application/vnd.kubernetes.protobuf',
      Buffer.concat([Buffer.from('k8s\u0000'), Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]), bytes(random, 30)]),
      true,
    ],
    [
      'protobuf groups without end',
      'application/vnd.kubernetes.protobuf',
      Buffer.concat([Buffer.from('k8s\u0000'), Buffer.alloc(5000, 0x0b)]),
      true,
    ],
    ['YAML that is JSON cut short', 'application/yaml', Buffer.from(text.slice(0, -2)), true],
    ['YAML of random bytes', 'application/yaml', bytes(random, 300), true],
    [
      'YAML with aliases',
      'application/yaml',
      Buffer.from(`a: &a [1,1]\nb: &b [*a,*a]\nc: [*b,*b]\n${text.slice(1, 40)}`),
      true,
    ],
    [
      'YAML of many small things',
      'application/yaml',
      Buffer.from(dense(random.pick(TINY), random.pick([LARGEST_YAML, 40_000]))),
      true,
    ],
    ['YAML that is too long', 'application/yaml', Buffer.alloc(random.chance(0.2) ? 300_000 : 10, 0x20), true],
    [
      'YAML with deep keys',
      'application/yaml',
      Buffer.from(Array.from({ length: 900 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')),
      true,
    ],
  ])
  return { what, method: 'POST', path: collectionPath(kind), headers: [['Content-Type', type]], body, refused }
}

/** As long as YAML may be, or as much as is not refused at a glance. */
const dense = (text: string, length: number): string => text.repeat(Math.floor(length / text.length))

const bytes = (random: Random, length: number): Buffer => Buffer.from(Array.from({ length }, () => random.int(256)))
