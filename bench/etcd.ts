import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { end, type Measured } from './child.ts'
import { allPages, PAGE, textAfter, type Dialect } from './dialect.ts'
import { eventType } from './kubernetes.ts'
import type { Connection } from '#test/support/connection.ts'

const READY_MS = 15_000

/** Raw etcd on free loopback ports, without TLS or authentication; undefined when it is not installed. */
export async function startEtcd(): Promise<Measured | undefined> {
  const data = mkdtempSync(join(tmpdir(), 'stellwerk-etcd-'))
  const [client, peer] = await freePorts(2)
  const url = `http://127.0.0.1:${client}`
  const peerUrl = `http://127.0.0.1:${peer}`
  const flags = ['--name', 'bench', '--data-dir', data, '--initial-cluster', `bench=${peerUrl}`]
  const urls = ['--listen-client-urls', url, '--advertise-client-urls', url, '--listen-peer-urls', peerUrl]
  const more = ['--initial-advertise-peer-urls', peerUrl, '--quota-backend-bytes', String(4 * 1024 ** 3)]
  const child = spawn('etcd', [...flags, ...urls, ...more], { stdio: 'ignore' })
  const remove = (): void => rmSync(data, { recursive: true, force: true })
  const missing = new Promise<'missing'>((resolve) => child.once('error', () => resolve('missing')))
  if ((await Promise.race([missing, answers(url)])) === 'missing') {
    remove()
    return undefined
  }
  return { target: { url }, pid: child.pid ?? 0, stop: () => end(child).finally(remove) }
}

async function answers(url: string): Promise<'ready'> {
  const until = performance.now() + READY_MS
  for (;;) {
    const health = await fetch(`${url}/health`).catch(() => undefined)
    if (health?.ok === true && (await health.text()).includes('true')) return 'ready'
    if (performance.now() > until) throw new Error(`etcd was not healthy within ${READY_MS / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const post = (c: Connection, path: string, body: object): ReturnType<Connection['request']> =>
  c.request('POST', `/v3/kv/${path}`, JSON.stringify(body))

/** The same objects as opaque values, in the transactions kube-apiserver uses; through the gateway that speaks JSON. */
export function etcd(folder: string): Dialect {
  const prefix = `/bench/${folder}/`
  const key = (i: number): string => base64(`${prefix}o-${i}`)
  // What a server would have added: uid, times, managed fields.
  const value = (i: number, text: string): string =>
    base64(JSON.stringify({ ...eventType(folder, `o-${i}`), server: 'm'.repeat(420), text }))
  const all = { key: base64(prefix), range_end: base64(`${prefix.slice(0, -1)}0`) }
  const casPut = (c: Connection, i: number, compare: object, text: string): ReturnType<Connection['request']> =>
    post(c, 'txn', {
      compare: [{ key: key(i), result: 'EQUAL', ...compare }],
      success: [{ request_put: { key: key(i), value: value(i, text) } }],
    })
  return {
    create: (c, i) => casPut(c, i, { target: 'CREATE', create_revision: '0' }, '1'),
    get: (c, i) => post(c, 'range', { key: key(i) }),
    prepareUpdates: async (connection) => {
      const revisions = new Map<string, string>()
      const { kvs } = JSON.parse((await post(connection, 'range', all)).body.toString())
      for (const kv of kvs) revisions.set(kv.key, kv.mod_revision)
      return (c, i) => casPut(c, i, { target: 'MOD', mod_revision: revisions.get(key(i)) }, '2')
    },
    patch: (round) => (c, i) => post(c, 'put', { key: key(i), value: value(i, `${round}.${i}`) }),
    list: (c) => post(c, 'range', all),
    listPaged: (c) => {
      const page = (from: string): Parameters<Connection['request']> => [
        'POST',
        '/v3/kv/range',
        JSON.stringify({ ...all, key: from, limit: PAGE }),
      ]
      return allPages(c, page(all.key), (body) => {
        const last = body.includes('"more":true') ? textAfter(body, '"key":"') : undefined
        return last === undefined ? undefined : page(base64(`${Buffer.from(last, 'base64').toString()}\0`))
      })
    },
    listNothing: undefined,
    watch: () =>
      Promise.resolve({ path: '/v3/watch', body: JSON.stringify({ create_request: all }), marker: '"kv":{' }),
    remove: (c, i) => post(c, 'deleterange', { key: key(i) }),
  }
}
