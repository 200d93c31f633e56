import type { Connection } from '#test/support/connection.ts'
import { startStellwerk } from './child.ts'
import { drive, openAll } from './drive.ts'
import { address, collection, type Draft } from './world.ts'

/** Everything a subscription consists of when it is Ready. */
const COLLECTIONS = [
  'event.cp.ei.vendor.de/v1/eventsubscriptions',
  'approval.cp.ei.vendor.de/v1/approvalrequests',
  'approval.cp.ei.vendor.de/v1/approvals',
  'approval.cp.ei.vendor.de/v1/approvalexpirations',
  'pubsub.cp.ei.vendor.de/v1/subscribers',
]

interface Written extends Draft {
  readonly status?: object
}

/** The subscriptions of one application and all that was derived from them, as somebody would write them who knew them, secrets too. */
export async function derivedFor(connection: Connection, namespace: string, application: string): Promise<Written[]> {
  const found: Written[] = []
  for (const plural of COLLECTIONS) {
    const [group, version, kinds] = plural.split('/')
    const { body } = await connection.request('GET', `/apis/${group}/${version}/namespaces/${namespace}/${kinds}`)
    const { items } = JSON.parse(body.toString().replaceAll(/"\$<[^"]*>"/g, '"clear text"')) as {
      items: readonly any[]
    }
    for (const { apiVersion, kind, metadata, spec, status } of items) {
      const { name, labels } = metadata
      if (!name.includes(`${application}--`)) continue
      found.push({ apiVersion, kind, metadata: { name, namespace, labels } as Draft['metadata'], spec, status })
    }
  }
  return found
}

/** How long 32 clients take to write these objects and their statuses to a server where nothing follows, in milliseconds. */
export async function writeByHand(objects: readonly Written[]): Promise<number> {
  const server = await startStellwerk()
  try {
    const connections = await openAll(server.target, 32)
    const renamed = (round: string): readonly Written[] =>
      objects.map((o) => ({ ...o, metadata: { ...o.metadata, namespace: `${round}--${o.metadata.namespace}` } }))
    await write(server, connections, renamed('warm'))
    const began = performance.now()
    await write(server, connections, renamed('bench'))
    const ms = performance.now() - began
    connections.forEach((c) => c.close())
    return ms
  } finally {
    await server.stop()
  }
}

async function write(
  server: Parameters<typeof drive>[0],
  connections: readonly Connection[],
  objects: readonly Written[],
): Promise<void> {
  const bodies = objects.map((object) => JSON.stringify({ ...object, status: undefined }))
  await drive(server, connections, objects.length, (c, i) => c.request('POST', collection(objects[i]!), bodies[i]))
  const told = objects.filter((o) => o.status !== undefined)
  const statuses = told.map(({ status }) => JSON.stringify({ status }))
  await drive(server, connections, told.length, (c, i) =>
    c.request('PATCH', `${address(told[i]!)}/status`, statuses[i], 'application/merge-patch+json'),
  )
}
