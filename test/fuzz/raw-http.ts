import { collectionPath, type Case, type Family, type World } from './case.ts'
import type { Random } from './random.ts'

type Made = readonly [what: string, request: string | Buffer]

/** Requests that are broken as HTTP. Each gets a connection of its own, because the server is right to close it. */
export const brokenHttp: Family = (random, world): Case => {
  const path = collectionPath(random.pick(world.kinds))
  const [what, raw] = random.pick(requests(random, world, path))
  return { what, method: 'RAW', path, raw: typeof raw === 'string' ? Buffer.from(raw, 'latin1') : raw, mayClose: true }
}

function requests(random: Random, { host, token }: World, path: string): readonly Made[] {
  const common = `Host: ${host}\r\nAuthorization: Bearer ${token}\r\n`
  const get = `GET ${path} HTTP/1.1\r\n`
  const post = `POST ${path} HTTP/1.1\r\n${common}Content-Type: application/json\r\n`
  const chunked = `${post}Transfer-Encoding: chunked\r\n`
  return [
    ['no HTTP at all', Buffer.from(Array.from({ length: 100 }, () => random.int(256)))],
    ['a TLS handshake on a plain port', Buffer.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 3])],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/0.9', `GET ${path}\r\n\r\n`],
    ['HTTP/1.0', `GET ${path} HTTP/1.0\r\n${common}\r\n`],
    ['HTTP/9.9', `GET ${path} HTTP/9.9\r\n${common}\r\n`],
    ['no host', `${get}Authorization: Bearer ${token}\r\n\r\n`],
    ['two hosts', `${get}${common}Host: evil.example\r\n\r\n`],
    ['CONNECT', `CONNECT evil.example:443 HTTP/1.1\r\n${common}\r\n`],
    ['an unknown method', `STEAL ${path} HTTP/1.1\r\n${common}\r\n`],
    ['a lower case method', `get ${path} HTTP/1.1\r\n${common}\r\n`],
    ['a path with a space', `GET ${path} x HTTP/1.1\r\n${common}\r\n`],
    ['a path with bare bytes', `GET ${path}/\xff\xfe HTTP/1.1\r\n${common}\r\n`],
    ['a path with a NUL', `GET ${path}/\x00 HTTP/1.1\r\n${common}\r\n`],
    ['a path of 64 KB', `GET /${'x'.repeat(65_536)} HTTP/1.1\r\n${common}\r\n`],
    ['a query of 64 KB', `GET ${path}?${'x=y&'.repeat(16_384)} HTTP/1.1\r\n${common}\r\n`],
    ['a header of 64 KB', `${get}${common}X-Long: ${'x'.repeat(65_536)}\r\n\r\n`],
    ['3000 headers', `${get}${common}${Array.from({ length: 3000 }, (_, i) => `X${i}: y\r\n`).join('')}\r\n`],
    ['a header without a colon', `${get}${common}Nonsense\r\n\r\n`],
    ['a header name with a space', `${get}${common}X Y: z\r\n\r\n`],
    ['a folded header', `${get}${common}X-Fold: a\r\n b\r\n\r\n`],
    ['a header with a NUL', `${get}${common}X-Nul: a\x00b\r\n\r\n`],
    ['bare line feeds', `GET ${path} HTTP/1.1\n${common.replaceAll('\r', '')}\n`],
    ['a bare carriage return', `${get}${common}X-Cr: a\rb\r\n\r\n`],
    [
      'length and chunks',
      `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /evil HTTP/1.1\r\n\r\n`,
    ],
    ['two lengths', `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{"a":1}`],
    ['a negative length', `${post}Content-Length: -1\r\n\r\n{}`],
    ['a length in hexadecimal', `${post}Content-Length: 0x2\r\n\r\n{}`],
    ['a length with a plus', `${post}Content-Length: +2\r\n\r\n{}`],
    ['a length beyond numbers', `${post}Content-Length: 99999999999999999999\r\n\r\n{}`],
    ['a length beyond the limit', `${post}Content-Length: 4000000\r\n\r\n{}`],
    ['chunks without sizes', `${chunked}\r\nx\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size that overflows', `${chunked}\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size with a sign', `${chunked}\r\n-2\r\n{}\r\n0\r\n\r\n`],
    ['chunk extensions of 20 KB', `${chunked}\r\n2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`],
    ['trailers', `${chunked}Trailer: Authorization\r\n\r\n2\r\n{}\r\n0\r\nAuthorization: Bearer x\r\n\r\n`],
    ['chunked twice', `${post}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`],
    ['an unknown transfer encoding', `${post}Transfer-Encoding: gzip\r\n\r\n{}`],
    ['chunked in disguise', `${post}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`],
    ['chunked is not last', `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ['an expectation nobody can meet', `${post}Expect: miracles\r\nContent-Length: 2\r\n\r\n{}`],
    ['100-continue and a body beyond the limit', `${post}Expect: 100-continue\r\nContent-Length: 4000000\r\n\r\n`],
    [
      'an upgrade to HTTP/2',
      `${get}${common}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
    ],
    ['a GET with a body', `${get}${common}Content-Length: 7\r\n\r\n{"a":1}`],
    ['a body after a HEAD', `HEAD ${path} HTTP/1.1\r\n${common}Content-Length: 2\r\n\r\n{}`],
    ['a request of blank lines', '\r\n'.repeat(1000)],
    ['many requests at once', `${get}${common}\r\n`.repeat(20)],
    ['requests behind a broken one', `${get}${common}\r\nNONSENSE\r\n\r\n${get}${common}\r\n`],
    ['a smuggled response', `GET ${path}/a%0d%0aHTTP/1.1%20200%20OK HTTP/1.1\r\n${common}\r\n`],
  ]
}
