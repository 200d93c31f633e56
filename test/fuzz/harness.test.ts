import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { KINDS } from '#domain/kinds/index.ts'
import { Team } from '#domain/kinds/organization/team.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import { startTestServer, TOKEN } from '#test/support/server.ts'
import { faultsIn } from './aftermath.ts'
import type { World } from './case.ts'
import { caseOf } from './families.ts'
import { fuzz } from './fuzz.ts'
import { faultIn } from './judge.ts'
import type { Outcome } from './wire.ts'

const FEW = [EventType, Team]
const CASES = 150

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** What the harness says about a server that answers like this. */
async function complaintsAbout(t: TestContext, handle: Handle): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => handle(request, response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const report = await fuzz({ address: { host: '127.0.0.1', port }, kinds: FEW, token: 'x', seed: 1, cases: CASES })
  return report.faults.map(({ text }) => text.slice(0, 400)).join('\n')
}

const json = (response: ServerResponse, code: number, body: object): void => {
  const text = JSON.stringify(body)
  response.writeHead(code, { 'content-type': 'application/json', 'content-length': text.length }).end(text)
}

const status = (code: number): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: 'no',
  reason: 'BadRequest',
  code,
})

const BROKEN: readonly (readonly [string, Handle, RegExp])[] = [
  ['answers 500', (_, response) => json(response, 500, status(500)), /answered 500/],
  ['refuses without a Status', (_, response) => json(response, 400, { error: 'no' }), /is no Status/],
  ['refuses with plain text', (_, response) => response.writeHead(404).end('not found'), /is no JSON/],
  ['says one code and means another', (_, response) => json(response, 400, status(404)), /says it is a 404/],
  ['accepts everything', (_, response) => json(response, 201, { metadata: { name: 'x' } }), /accepted with 201/],
  ['closes without an answer', (request) => request.socket.destroy(), /closed without an answer/],
  [
    'tells its stack',
    (_, response) => json(response, 400, { ...status(400), message: 'at f (src/x.ts:1:2)' }),
    /stack trace/,
  ],
  [
    'quotes megabytes',
    (_, response) => json(response, 400, { ...status(400), message: 'x'.repeat(200_000) }),
    /a refusal of/,
  ],
  [
    'answers with a broken document',
    (_, response) => response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1 }).end('{'),
    /is no JSON/,
  ],
]

for (const [what, handle, expected] of BROKEN)
  test(`the harness complains about a server that ${what}`, async (t) => {
    assert.match(await complaintsAbout(t, handle), expected)
  })

test('a request without any answer is a fault', () => {
  const world: World = { kinds: KINDS, token: 'x', host: 'h', tokens: [], revision: 1 }
  const silent: Outcome = { end: 'silent', ms: 1 }
  assert.match(faultIn(caseOf(1, 1, world), silent) ?? '', /no answer/)
})

test('the look afterwards notices what should never have been stored', () => {
  const good: any = {
    apiVersion: 'event.cp.ei.vendor.de/v1',
    kind: 'EventType',
    metadata: { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '7' },
    spec: { type: 'a.v1', version: '1', category: 'other', description: '', specification: '' },
  }
  const normal = { ...good, spec: { type: 'a.v1', version: '1', category: 'other' } }
  assert.deepEqual(faultsIn(EventType, normal), [])
  const bad: readonly (readonly [object, RegExp])[] = [
    [{ ...normal, spec: { ...normal.spec, version: ['1'] } }, /spec.version/],
    [{ ...normal, spec: { ...normal.spec, extra: 1 } }, /unknown fields/],
    [{ ...normal, spec: { type: 'a.v1', version: '1' } }, /stored form/],
    [{ ...normal, metadata: { ...normal.metadata, name: '..' } }, /metadata.name/],
    [{ ...normal, metadata: { ...normal.metadata, resourceVersion: '' } }, /no version/],
    [{ ...normal, kind: 'Other' }, /another kind/],
  ]
  for (const [object, expected] of bad) assert.match(faultsIn(EventType, object as any).join('\n'), expected)
})

test('the cases of a seed are the same every time and all different from those of another seed', () => {
  const world: World = { kinds: KINDS, token: 'x', host: 'h', tokens: ['t'], revision: 5 }
  const all = (seed: number): string[] => Array.from({ length: 200 }, (_, i) => JSON.stringify(caseOf(seed, i, world)))
  assert.deepEqual(all(3), all(3))
  assert.notDeepEqual(all(3), all(4))
  const families = new Set(Array.from({ length: 200 }, (_, i) => caseOf(3, i, world).family))
  assert.equal(families.size, 14)
})

test('the harness is content with our server, and no request pollutes the prototypes of its process', async (t) => {
  const before = [Object.prototype, Array.prototype, Function.prototype].map((p) => Object.getOwnPropertyNames(p))
  const { port } = await startTestServer(t)
  const report = await fuzz({ address: { host: '127.0.0.1', port }, kinds: KINDS, token: TOKEN, seed: 5, cases: 1500 })
  assert.deepEqual(report.faults, [])
  const after = [Object.prototype, Array.prototype, Function.prototype].map((p) => Object.getOwnPropertyNames(p))
  assert.deepEqual(after, before)
  assert.equal(({} as { polluted?: unknown }).polluted, undefined)
})
