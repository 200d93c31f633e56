import { once } from 'node:events'
import { duplexPair, type Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemClock } from '#lib/clock.ts'
import { createLog } from '#lib/log.ts'
import { Exposition } from '#lib/prometheus.ts'
import type { Registry } from '#registry/registry.ts'
import { mastersOnly } from './access.ts'
import { adminToken } from './authenticate.ts'
import { createHandler, type Handler } from './handler.ts'
import { Limits } from './limits.ts'
import { accept } from './listen.ts'
import { createMetrics } from './metrics.ts'

const TYPES = '/apis/event.cp.ei.vendor.de/v1/namespaces/warm-up/eventtypes'
const OBJECT = {
  apiVersion: 'event.cp.ei.vendor.de/v1',
  kind: 'EventType',
  metadata: { name: 'warm-up', labels: { some: 'label' } },
  spec: { type: 'warm.up.v1', version: '1.0.0', description: 'text' },
}

const MERGE = 'application/merge-patch+json'

/** What is written first is most often one of these. */
const REQUESTS: readonly (readonly [method: string, path: string, type: string, body: object])[] = [
  ['POST', TYPES, 'application/json', OBJECT],
  ['PATCH', `${TYPES}/warm-up`, MERGE, { spec: { version: '1.0.1' } }],
  ['PATCH', `${TYPES}/warm-up`, MERGE, { spec: { version: '1.0.2' } }],
]

/**
 * Answers a few requests from a registry of nothing, for as long as `pending` takes: code that never ran is compiled when it first
 * does, and a first write would take three times as long as the second one. What was compiled also goes to the cache. Gives what
 * was answered.
 */
export async function warmUpWhile(
  pending: Promise<unknown>,
  createRegistry: () => Registry,
): Promise<readonly number[]> {
  let over = false
  const end = (): void => void (over = true)
  pending.then(end, end)
  // A store without much in it is there by now.
  await nextTurn()
  if (over) return []
  const registry = createRegistry()
  const [near, far] = duplexPair()
  accept(far, handlerFor(registry))
  const codes: number[] = []
  for (const request of REQUESTS) if (!over) codes.push(await ask(near, request))
  near.destroy()
  return codes
}

function handlerFor(registry: Registry): Handler {
  const limits = new Limits()
  const log = createLog({ destination: { write: () => undefined } })
  const { signal } = new AbortController()
  return createHandler({
    api: { registry, clock: systemClock, log, access: mastersOnly, limits, stopping: signal },
    authenticators: [adminToken('warm-up')],
    documents: new Map(),
    definitions: () => new Map(),
    metrics: createMetrics(registry, limits, new Exposition()),
  })
}

async function ask(connection: Duplex, [method, path, type, value]: (typeof REQUESTS)[number]): Promise<number> {
  const body = JSON.stringify(value)
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    'Authorization: Bearer warm-up',
    `Content-Type: ${type}`,
  ]
  connection.write(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  const [answer] = (await once(connection, 'data')) as [Buffer]
  // What comes after the answer: the audit line, the numbers.
  await nextTurn()
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer.toString('latin1', 0, 20))?.[1])
}
