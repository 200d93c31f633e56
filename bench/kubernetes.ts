import { allPages, PAGE, textAfter, type Dialect } from './dialect.ts'
import type { Connection } from '#test/support/connection.ts'

const MERGE = 'application/merge-patch+json'
const padding = 'x'.repeat(256)

/** The objects of the measurement: about 950 bytes as stored. */
export function eventType(namespace: string, name: string, text = padding): object {
  return {
    apiVersion: 'event.cp.ei.vendor.de/v1',
    kind: 'EventType',
    metadata: { name, namespace, labels: { 'bench/run': 'a' } },
    spec: { type: `bench.${name.replace('-', '.')}`, version: '1.0.0', description: text },
  }
}

/** EventTypes of one namespace on any server that speaks the Kubernetes API and knows the kind. */
export function kubernetes(namespace: string): Dialect {
  const base = `/apis/event.cp.ei.vendor.de/v1/namespaces/${namespace}/eventtypes`
  const path = (i: number): string => `${base}/o-${i}`
  return {
    create: (c, i) => c.request('POST', base, JSON.stringify(eventType(namespace, `o-${i}`))),
    get: (c, i) => c.request('GET', path(i)),
    prepareUpdates: async (connection, count) => {
      const bodies = await updatedBodies(connection, base)
      if (bodies.size < count) throw new Error(`${bodies.size} objects are there, not ${count}`)
      return (c, i) => c.request('PUT', path(i), bodies.get(`o-${i}`))
    },
    patch: (round) => (c, i) => c.request('PATCH', path(i), `{"spec":{"version":"${round}.${i}"}}`, MERGE),
    list: (c) => c.request('GET', base),
    listPaged: (c) => {
      const first = `${base}?limit=${PAGE}`
      return allPages(c, ['GET', first], (body) => {
        const next = textAfter(body, '"continue":"')
        return next ? ['GET', `${first}&continue=${encodeURIComponent(next)}`] : undefined
      })
    },
    listNothing: (c) => c.request('GET', `${base}?labelSelector=bench%2Frun%3Db`),
    watch: async (connection) => {
      const answer = await connection.request('GET', `${base}?limit=1`)
      const version = JSON.parse(answer.body.toString()).metadata.resourceVersion
      return { path: `${base}?watch=true&resourceVersion=${version}`, marker: '{"type":"MODIFIED"' }
    },
    remove: (c, i) => c.request('DELETE', path(i)),
  }
}

/** Each body carries the version it was read under, so every update is a compare-and-set that has to succeed. */
async function updatedBodies(connection: Connection, base: string): Promise<ReadonlyMap<string, string>> {
  const { items } = JSON.parse((await connection.request('GET', base)).body.toString())
  // The type is what kube-apiserver leaves out of the items of a list.
  const type = { apiVersion: 'event.cp.ei.vendor.de/v1', kind: 'EventType' }
  return new Map(
    items.map((item: any, i: number): [string, string] => [
      item.metadata.name,
      JSON.stringify({ ...type, ...item, spec: { ...item.spec, description: `${i} ${padding}` } }),
    ]),
  )
}
