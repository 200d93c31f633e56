import type { Connection } from '#test/support/connection.ts'
import { drive, type Result } from './drive.ts'
import type { Measured } from './child.ts'

export const ENVIRONMENT = 'bench'

export interface Draft {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: object
}

const draft =
  (group: string, kind: string) =>
  (namespace: string, name: string, spec: object): Draft => ({
    apiVersion: `${group}.cp.ei.vendor.de/v1`,
    kind,
    metadata: { name, namespace },
    spec,
  })

export const zoneRef = (name: string): object => ({ name, namespace: ENVIRONMENT })

export const zone = (name: string, spec: object = {}): Draft =>
  draft('admin', 'Zone')(ENVIRONMENT, name, {
    visibility: 'Enterprise',
    gateway: {
      presets: [{ name: 'main', default: true, urls: [{ hostname: `${name}.gw.example`, basePath: '/' }] }],
    },
    ...spec,
  })

export const application = (namespace: string, name: string, home: string): Draft =>
  draft('application', 'Application')(namespace, name, {
    team: namespace.split('--').slice(1).join('--'),
    teamEmail: 'team@example.com',
    zone: zoneRef(home),
    needsClient: true,
    needsConsumer: true,
  })

export const eventConfig = (home: string, backend: string, mesh: object = { fullMesh: true }): Draft =>
  draft('event', 'EventConfig')(`${ENVIRONMENT}--${home}`, ENVIRONMENT, {
    zone: zoneRef(home),
    local: {
      admin: { url: `${backend}/${home}` },
      publishEventUrl: `${backend}/${home}/publish`,
      serverSendEventUrl: `${backend}/${home}/sse`,
    },
    mesh,
  })

export const eventType = (namespace: string, type: string): Draft =>
  draft('event', 'EventType')(namespace, type.replaceAll('.', '-'), { type, version: '1.0.0' })

export const exposure = (namespace: string, type: string, provider: string, home: string): Draft =>
  draft('event', 'EventExposure')(namespace, `${provider}--${type.replaceAll('.', '-')}`, {
    eventType: type,
    provider: { name: provider, namespace },
    zone: zoneRef(home),
    approval: { strategy: 'Auto' },
    visibility: 'World',
  })

export const subscription = (namespace: string, type: string, requestor: string, home: string): Draft =>
  draft('event', 'EventSubscription')(namespace, `${requestor}--${type.replaceAll('.', '-')}`, {
    eventType: type,
    requestor: { name: requestor, namespace },
    zone: zoneRef(home),
    delivery: { type: 'Callback', payload: 'Data', callback: 'https://consumer.example/events' },
  })

export const collection = ({ apiVersion, kind, metadata }: Draft): string =>
  `/apis/${apiVersion}/namespaces/${metadata.namespace}/${kind.toLowerCase()}s`

export const address = (d: Draft): string => `${collection(d)}/${d.metadata.name}`

/** Creates them over as many connections as given, in this order. */
export function createAll(
  server: Measured,
  connections: readonly Connection[],
  drafts: readonly Draft[],
): Promise<Result> {
  const bodies = drafts.map((d) => JSON.stringify(d))
  return drive(server, connections, drafts.length, (c, i) => c.request('POST', collection(drafts[i]!), bodies[i]))
}

export async function patchSpec(connection: Connection, d: Draft, spec: object): Promise<void> {
  const body = JSON.stringify({ spec })
  const answer = await connection.request('PATCH', address(d), body, 'application/merge-patch+json')
  if (answer.status !== 200) throw new Error(`PATCH ${address(d)}: ${answer.status} ${answer.body.toString()}`)
}

/** How many objects of a kind there are, and how many of them say Ready=True for their current generation. */
export async function readiness(
  connection: Connection,
  plural: string,
): Promise<{ readonly all: number; readonly ready: number; readonly example: string }> {
  const answer = await connection.request('GET', `/apis/${plural}`)
  if (answer.status !== 200) throw new Error(`GET ${plural}: ${answer.status}`)
  const { items } = JSON.parse(answer.body.toString()) as { items: any[] }
  const isReady = (o: any): boolean =>
    o.status?.conditions?.some(
      (c: any) => c.type === 'Ready' && c.status === 'True' && c.observedGeneration === o.metadata.generation,
    ) === true
  const unready = items.find((o) => !isReady(o))
  return {
    all: items.length,
    ready: items.filter(isReady).length,
    example: unready === undefined ? '' : `${unready.metadata.name}: ${unready.status?.conditions?.[0]?.message}`,
  }
}
