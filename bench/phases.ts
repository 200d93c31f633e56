import { cpuSeconds, residentBytes, type Measured } from './child.ts'
import { drive, openAll, type Result } from './drive.ts'
import type { Connection } from '#test/support/connection.ts'
import { startWatchers } from './watchers.ts'

export interface Size {
  readonly objects: number
  readonly clients: number
  readonly watchers: number
}

/** One line of the report. `floor` names the measured floor the throughput is compared with. */
export interface Row {
  readonly name: string
  readonly result: Result
  readonly floor?: 'echo post' | 'echo get' | 'disk'
  readonly note?: string
}

const base = '/apis/event.cp.ei.vendor.de/v1/namespaces/bench/eventtypes'
const eventType = (name: string, text: string): object => ({
  apiVersion: 'event.cp.ei.vendor.de/v1',
  kind: 'EventType',
  metadata: { name, namespace: 'bench', labels: { 'bench/run': 'a' } },
  spec: { type: `bench.${name.replace('-', '.')}`, version: '1.0.0', description: text },
})
const padding = 'x'.repeat(256)
const name = (i: number): string => `o-${i}`
const parsed = (body: Buffer): any => JSON.parse(body.toString())

/** Create, get, update, patch, list and watch, in this order, on one server. */
export async function runPhases(server: Measured, size: Size, log: (text: string) => void): Promise<readonly Row[]> {
  const connections = await openAll(server.target, size.clients)
  const rows: Row[] = []
  const add = (row: Row): void => {
    rows.push(row)
    log(`${row.name}: ${Math.round(row.result.perSecond)}/s`)
  }
  const before = residentBytes(server.pid)
  const created = await drive(server, connections, size.objects, (c, i) =>
    c.request('POST', base, JSON.stringify(eventType(name(i), padding))),
  )
  const perObject = Math.round((residentBytes(server.pid) - before) / size.objects)
  add({ name: 'create', result: created, floor: 'echo post', note: `${perObject} B resident per object` })
  add({
    name: 'get',
    floor: 'echo get',
    result: await drive(server, connections, size.objects, (c, i) => c.request('GET', `${base}/${name(i)}`)),
  })
  add({
    name: 'update',
    floor: 'echo post',
    result: await drive(server, connections, size.objects, await updates(connections[0], size)),
  })
  add({
    name: 'merge patch',
    floor: 'echo post',
    result: await drive(server, connections, size.objects, (c, i) =>
      c.request('PATCH', `${base}/${name(i)}`, `{"spec":{"version":"2.${i}"}}`, 'application/merge-patch+json'),
    ),
  })
  add({
    name: `list ${size.objects}`,
    result: await drive(server, connections.slice(0, 1), 10, (c) => c.request('GET', base)),
  })
  add({ name: 'list paged 500', result: await drive(server, connections.slice(0, 1), 5, (c) => listPages(c, 500)) })
  add({
    name: 'list, selector without a match',
    result: await drive(server, connections.slice(0, 1), 10, (c) =>
      c.request('GET', `${base}?labelSelector=bench%2Frun%3Db`),
    ),
  })
  add(await watchPhase(server, connections, size))
  add({
    name: 'delete',
    floor: 'echo post',
    result: await drive(server, connections, size.objects, (c, i) => c.request('DELETE', `${base}/${name(i)}`)),
  })
  connections.forEach((c) => c.close())
  return rows
}

/** Each update carries the version it read, so every one is a compare-and-set that has to succeed. */
async function updates(connection: Connection | undefined, size: Size): Promise<Parameters<typeof drive>[3]> {
  if (connection === undefined) throw new Error('no connection')
  const current = new Map<string, any>()
  for (const item of parsed((await connection.request('GET', base)).body).items) current.set(item.metadata.name, item)
  return async (c, i) => {
    const object = current.get(name(i % size.objects))
    object.spec.description = `${i} ${padding}`
    return c.request('PUT', `${base}/${name(i)}`, JSON.stringify(object))
  }
}

async function listPages(connection: Connection, limit: number): ReturnType<Connection['request']> {
  let next = ''
  for (;;) {
    const answer = await connection.request(
      'GET',
      `${base}?limit=${limit}${next && `&continue=${encodeURIComponent(next)}`}`,
    )
    if (answer.status !== 200) return answer
    next = parsed(answer.body).metadata.continue ?? ''
    if (next === '') return answer
  }
}

/** A burst of writes to many watchers: events delivered per second, send to receive, server CPU per delivered event. */
async function watchPhase(server: Measured, connections: readonly Connection[], size: Size): Promise<Row> {
  const events = Math.min(500, size.objects)
  const version = parsed((await (connections[0] as Connection).request('GET', `${base}?limit=1`)).body).metadata
    .resourceVersion
  const watchers = await startWatchers(server.target, `${base}?watch=true&resourceVersion=${version}`, size.watchers)
  const cpu = cpuSeconds(server.pid)
  const start = performance.now()
  const sent: number[] = []
  const writer = connections.slice(0, 1)
  await drive(server, writer, events, (c, i) => {
    sent.push(performance.now())
    return c.request('PATCH', `${base}/${name(i)}`, `{"spec":{"version":"3.${i}"}}`, 'application/merge-patch+json')
  })
  const arrivals = await watchers.seen(events)
  const seconds = (performance.now() - start) / 1000
  watchers.close()
  const delays = arrivals
    .flatMap((times) => times.slice(0, events).map((t, i) => t - (sent[i] ?? 0)))
    .toSorted((a, b) => a - b)
  const delivered = events * size.watchers
  return {
    name: `watch, ${size.watchers} watchers`,
    result: {
      perSecond: delivered / seconds,
      p50: delays[Math.floor(delays.length * 0.5)] ?? 0,
      p99: delays[Math.floor(delays.length * 0.99)] ?? 0,
      cpuMsPerOp: ((cpuSeconds(server.pid) - cpu) * 1000) / delivered,
    },
    note: 'events delivered; write and watch CPU',
  }
}
