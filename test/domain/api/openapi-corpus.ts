import type { Description } from '#domain/openapi-document/extract.ts'

/** A document as people write it, and what is registered of it or where it is wrong. */
export interface Sample {
  readonly name: string
  readonly text: string
  readonly found?: Partial<Description>
  /** The field of the first problem, or words of the message. */
  readonly wrong?: string | RegExp
}

const yaml = (lines: TemplateStringsArray): string => (lines[0] ?? '').replace(/^\n/, '').replace(/^ {4}/gm, '')
const json = (value: unknown): string => JSON.stringify(value)
const v3 = (more: object): object => ({
  openapi: '3.0.3',
  info: { title: 'x', version: '1.0.0' },
  servers: [{ url: '/eni/foo/v1' }],
  paths: {},
  ...more,
})
const server = (url: unknown, variables?: object): string => json(v3({ servers: [{ url, variables }] }))
const oauth = (flows: object): object => ({ type: 'oauth2', flows })
const credentials = (...scopes: readonly string[]): object =>
  oauth({
    clientCredentials: { tokenUrl: 'https://t.example', scopes: Object.fromEntries(scopes.map((s) => [s, 'd'])) },
  })

export const CORPUS: readonly Sample[] = [
  {
    name: '2.0 as JSON, with two OAuth2 schemes',
    text: json({
      swagger: '2.0',
      info: { title: 'Pets', version: '2.4.1', 'x-api-category': 'Internal', 'x-vendor': true },
      host: 'api.example.com',
      basePath: '/eni/pets/v2/',
      securityDefinitions: {
        key: { type: 'apiKey', name: 'k', in: 'header' },
        a: { type: 'oauth2', flow: 'application', scopes: { read: '', write: '' } },
        b: { type: 'oauth2', flow: 'implicit', scopes: { write: '', admin: '' } },
      },
    }),
    found: {
      basepath: '/eni/pets/v2',
      version: '2.4.1',
      category: 'Internal',
      xvendor: true,
      scopes: ['read', 'write', 'admin'],
    },
  },
  {
    name: '2.0 as YAML, without schemes',
    text: yaml`
    swagger: "2.0"
    info:
      title: Orders
      version: 1.10
    basePath: /eni/orders/v1
    paths: {}
    `,
    found: { basepath: '/eni/orders/v1', version: '1.10', category: 'other', xvendor: false, scopes: [] },
  },
  { name: '2.0 without base path', text: json({ swagger: '2.0', info: { version: '1' } }), wrong: 'basePath' },
  {
    name: '3.0 as YAML, with an absolute server and one flow that counts',
    text: yaml`
    openapi: 3.0.3
    info: { title: Foo, version: "1.4.0", x-vendor: "true", x-api-category: "" }
    servers:
      - url: https://api.example.com:8443/eni/foo/v1
      - url: https://other.example.com/x
    components:
      securitySchemes:
        main:
          type: oauth2
          flows:
            clientCredentials: { tokenUrl: "https://t", scopes: { read: r, write: w } }
            authorizationCode: { scopes: { ignored: i } }
        none: { type: http, scheme: bearer }
        empty: { type: oauth2, flows: { implicit: { scopes: { also-ignored: x } } } }
        second: { type: oauth2, flows: { clientCredentials: { scopes: { write: w, audit: a } } } }
    `,
    found: {
      basepath: '/eni/foo/v1',
      version: '1.4.0',
      category: 'other',
      xvendor: true,
      scopes: ['read', 'write', 'audit'],
    },
  },
  {
    name: '3.1 as JSON, with a server relative to the host',
    text: json(v3({ openapi: '3.1.0', components: { securitySchemes: { a: credentials('x') } } })),
    found: { basepath: '/eni/foo/v1', scopes: ['x'] },
  },
  {
    name: 'variables of a server become their defaults',
    text: server('{scheme}://{host}/{group}/foo/{version}', {
      scheme: { default: 'https' },
      host: { default: 'api.example.com' },
      group: { default: 'eni' },
      version: { default: 'v1', enum: ['v1', 'v2'] },
    }),
    found: { basepath: '/eni/foo/v1' },
  },
  { name: 'a variable without default', text: server('https://x/{v}', {}), wrong: /variable \{v\} has no default/ },
  {
    name: 'a variable that names the prototype',
    text: server('https://x/{constructor}', {}),
    wrong: /\{constructor\}/,
  },
  {
    name: 'a default that holds a variable is not looked at again',
    text: server('https://x/{a}', { a: { default: '{a}' } }),
    wrong: /spaces or variables/,
  },
  {
    name: 'a server without scheme',
    text: server('//api.example.com/eni/x/v1?q=1#f'),
    found: { basepath: '/eni/x/v1' },
  },
  { name: 'no servers', text: json(v3({ servers: undefined })), wrong: 'servers[0]' },
  { name: 'an empty list of servers', text: json(v3({ servers: [] })), wrong: 'servers[0]' },
  { name: 'servers of the wrong type', text: json(v3({ servers: { url: '/x' } })), wrong: 'servers[0]' },
  { name: 'a server that is a text', text: json(v3({ servers: ['/x'] })), wrong: 'servers[0]' },
  { name: 'a server without path', text: server('https://api.example.com'), wrong: 'servers[0].url' },
  { name: 'a server with the root as path', text: server('https://api.example.com/'), wrong: 'servers[0].url' },
  { name: 'a server relative to the document', text: server('../v1'), wrong: 'servers[0].url' },
  { name: 'a url that is a number', text: server(7), wrong: 'servers[0].url' },
  { name: 'a url with a space', text: server('https://a b/c'), wrong: 'servers[0].url' },
  { name: 'a path of 201 characters', text: server(`/${'x'.repeat(200)}`), wrong: /more than 200/ },
  { name: 'a url of a megabyte', text: server(`/${'{a'.repeat(500_000)}`), wrong: /more than 4096/ },
  { name: 'OpenAPI 1.2', text: json({ swaggerVersion: '1.2' }), wrong: /names no version/ },
  { name: 'OpenAPI 4', text: json({ openapi: '4.0.0' }), wrong: /"4.0.0"/ },
  { name: 'a version that is an object', text: json({ openapi: { a: 1 } }), wrong: 'openapi' },
  {
    name: 'openapi as a number',
    text: 'openapi: 3.0\ninfo: {version: 1}\nservers: [{url: /a/v1}]\n',
    found: { version: '1' },
  },
  { name: 'no info', text: json(v3({ info: null })), wrong: 'info.version' },
  { name: 'a version that begins with a letter', text: json(v3({ info: { version: 'v1' } })), wrong: 'info.version' },
  { name: 'both wrong', text: json(v3({ info: {}, servers: [] })), wrong: 'servers[0]' },
  {
    name: 'schemes of wrong types everywhere',
    text: json(
      v3({
        info: { version: '1.0', 'x-vendor': 1, 'x-api-category': ['a'] },
        components: { securitySchemes: [1, null, { type: 'oauth2' }], a: 1 },
      }),
    ),
    found: { scopes: [], xvendor: false, category: 'other' },
  },
  {
    name: 'scopes that are a list, a text and null',
    text: json(
      v3({
        components: {
          securitySchemes: {
            a: oauth({ clientCredentials: { scopes: ['x'] } }),
            b: oauth({ clientCredentials: { scopes: 'x' } }),
            c: oauth({ clientCredentials: null }),
            d: { type: 'oauth2', flows: 'x' },
            e: credentials('__proto__x', 'constructor'),
          },
        },
      }),
    ),
    found: { scopes: ['__proto__x', 'constructor'] },
  },
  {
    name: 'keys that look like the prototype',
    text: '{"__proto__":{"openapi":"3.0.0"},"constructor":1}',
    wrong: /names no version/,
  },
  { name: 'a list', text: '[1,2]', wrong: /no object/ },
  { name: 'a text', text: 'hello', wrong: /no object/ },
  { name: 'nothing', text: ' \n\t', wrong: /is empty/ },
  { name: 'only a comment', text: '# nothing\n', wrong: /no object/ },
  { name: 'broken JSON', text: '{"openapi": "3.0.0", ', wrong: /no YAML|no usable YAML/ },
  { name: 'broken YAML', text: 'openapi: 3.0.0\n  info: [', wrong: /YAML/ },
  { name: 'two documents', text: 'openapi: 3.0.0\n---\nopenapi: 3.0.0\n', wrong: /YAML/ },
  { name: 'a key twice in JSON', text: '{"openapi":"3.0.0","openapi":"2.0"}', wrong: /openapi twice/ },
  { name: 'a key twice in YAML', text: 'openapi: 3.0.0\ninfo: {a: 1}\ninfo: {b: 1}\n', wrong: /"info" twice/ },
  {
    name: 'a key twice deep inside a list',
    text: 'openapi: 3.0.0\nx: [[{a: 1, b: {c: 1, c: 2}}]]\n',
    wrong: /"c" twice/,
  },
  {
    name: 'aliases that share parts',
    text: yaml`
    x-base: &base { version: "1.2.3", x-vendor: true }
    openapi: 3.0.0
    info: *base
    servers: [&s { url: /eni/shared/v1 }, *s]
    `,
    found: { basepath: '/eni/shared/v1', version: '1.2.3', xvendor: true },
  },
  {
    name: 'merge keys',
    text: yaml`
    openapi: 3.0.0
    info: { version: "1.0.0" }
    servers: [{ url: /a/v1 }]
    x: { <<: { a: 1 }, b: 2 }
    `,
    found: { basepath: '/a/v1' },
  },
  { name: 'a cycle through an alias', text: 'openapi: 3.0.0\nx: &a [*a]\n', wrong: /itself|YAML/ },
  { name: 'a longer cycle', text: 'openapi: 3.0.0\nx: &a {b: &b {c: *a}}\n', wrong: /itself|YAML/ },
  { name: 'an alias of nothing', text: 'openapi: *nobody\n', wrong: /YAML/ },
  {
    name: 'a billion laughs',
    text: `openapi: 3.0.0\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(',')}]`).join('\n')}\n`,
    wrong: /YAML/,
  },
  { name: 'brackets without end', text: `{"openapi":"3.0.0","x":${'['.repeat(100_000)}`, wrong: /document/ },
  { name: 'deep JSON', text: `{"openapi":"3.0.0","x":${'['.repeat(5000)}${']'.repeat(5000)}}`, wrong: /nested|deep/ },
  { name: 'deep flow YAML', text: `openapi: 3.0.0\nx: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`, wrong: /nested/ },
  {
    name: 'deep block YAML',
    text: `openapi: 3.0.0\n${Array.from({ length: 900 }, (_, i) => `${' '.repeat(i)}x:`).join('\n')} 1\n`,
    wrong: /nested|YAML/,
  },
  { name: 'deep sequences on one line', text: `openapi: 3.0.0\nx:\n  ${'- '.repeat(5000)}1\n`, wrong: /nested/ },
  {
    name: 'tags nobody knows',
    text: 'openapi: !!js/function "3.0.0"\ninfo: {version: !x 1.0}\nservers: [{url: /a/v1}]\n',
    found: { version: '1.0' },
  },
  {
    name: 'CRLF and a byte order mark',
    text: '\ufeffopenapi: 3.0.0\r\ninfo:\r\n  version: 1.0.0\r\nservers:\r\n- url: /a/v1\r\n',
    found: { basepath: '/a/v1' },
  },
]
