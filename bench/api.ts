import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { startEcho, startStellwerk, type Measured } from './child.ts'
import type { Dialect, Subject } from './dialect.ts'
import { durableRowsPerSecond } from './disk-floor.ts'
import { drive, openAll, type Result } from './drive.ts'
import { etcd, startEtcd } from './etcd.ts'
import { kubernetes } from './kubernetes.ts'
import { runPhases } from './phases.ts'
import { printReport, type Floors } from './report.ts'
import { benchScale } from './scale.ts'
import type { Size } from './turns.ts'

const HELP = `npm run bench [-- options]

Measures create, get, update, patch, list, watch and delete of our own server with TLS, authentication and durable
writes, beside the floors of this machine in the same run: bare durable SQLite rows and a bare HTTPS echo of a kilobyte
of JSON. Raw etcd (without TLS, authentication or schemas, through its JSON gateway) takes turns with it when it is
installed, and so does a peer: another server with the Kubernetes API and our kinds. Numbers of different runs are not
comparable; ratios and CPU per operation are. Ratios are those of the middle pair of turns: "of" is throughput (more is
better), "CPU of" is CPU per operation (less is better).

  --objects N        objects to create (default 5000)
  --clients N        concurrent connections (default 32)
  --watchers N,M     open watches in the watch phases (default 50,500)
  --pairs N          turns of each server in each phase (default 3)
  --quick            1000 objects, 20 watchers, 2 turns
  --no-etcd          do not compare with etcd
  --peer URL         compare with this server; its kinds must be installed (stellwerk crds | kubectl apply -f -)
  --peer-token T     its bearer token
  --peer-ca FILE     the certificate to trust; without it none is checked
  --peer-pid N       its process on this machine, to measure its CPU
  --scale N          instead: memory, lists and restart after kill -9 with N objects on our own server
  --json             print one JSON document instead of the table

\`npm run bench -- applications\` and \`npm run bench -- events\` measure the controllers instead.
STELLWERK_CPU_PROFILE=DIRECTORY leaves profiles of the server there.

Examples:
  npm run bench -- --quick
  npm run bench -- --objects 20000 --watchers 200 --no-etcd
  npm run bench -- --scale 100000
  npm run bench -- --peer https://127.0.0.1:6443 --peer-token "$TOKEN" --peer-ca ca.crt --pairs 5`

const OPTIONS = {
  objects: { type: 'string' },
  clients: { type: 'string', default: '32' },
  watchers: { type: 'string' },
  pairs: { type: 'string' },
  quick: { type: 'boolean', default: false },
  'no-etcd': { type: 'boolean', default: false },
  peer: { type: 'string' },
  'peer-token': { type: 'string' },
  'peer-ca': { type: 'string' },
  'peer-pid': { type: 'string', default: '0' },
  scale: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

const log = (text: string): void => void process.stderr.write(`  ${text}\n`)

export async function benchApi(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  if (values.help) return void process.stdout.write(`${HELP}\n`)
  const size = sizeOf(values)
  if (values.scale !== undefined) return benchScale(count('--scale', values.scale), size.clients, log)
  const load = loadavg()[0]?.toFixed(1)
  const floors = await measureFloors(size)
  const stops: (() => Promise<void>)[] = []
  try {
    const subjects = await startSubjects(values, size, stops)
    const rows = await runPhases({ subjects, size, log })
    const others = subjects.slice(1).map((s) => s.name)
    const notes = [`load of the machine: ${load} before, ${loadavg()[0]?.toFixed(1)} after`]
    if (!others.includes('etcd') && !values['no-etcd']) notes.push('etcd is not installed: no comparison with it')
    const report = { size, floors, rows, others, notes }
    if (values.json) process.stdout.write(`${JSON.stringify(report, mapsToObjects, 2)}\n`)
    else printReport(report)
  } finally {
    for (const stop of stops.toReversed()) await stop()
  }
}

const mapsToObjects = (_: string, value: unknown): unknown =>
  value instanceof Map ? Object.fromEntries(value as Map<string, unknown>) : value

function count(option: string, text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new Error(`${option} ${text}: say a number from 1 on`)
  return Number(text)
}

function sizeOf({ quick, ...values }: Values): Size {
  const watchers = values.watchers ?? (quick ? '20' : '50,500')
  return {
    objects: count('--objects', values.objects ?? (quick ? '1000' : '5000')),
    clients: count('--clients', values.clients),
    watchers: watchers.split(',').map((text) => count('--watchers', text)),
    pairs: count('--pairs', values.pairs ?? (quick ? '2' : '3')),
  }
}

async function startSubjects(values: Values, size: Size, stops: (() => Promise<void>)[]): Promise<readonly Subject[]> {
  const folder = `bench-${process.pid}`
  const subjects: Subject[] = []
  const add = async (name: Subject['name'], server: Measured, dialect: Dialect): Promise<void> => {
    stops.push(() => server.stop())
    const connections = await openAll(server.target, size.clients)
    stops.push(async () => connections.forEach((c) => c.close()))
    subjects.push({ name, server, dialect, connections })
  }
  await add('stellwerk', await startStellwerk({ profile: true }), kubernetes(folder))
  const raw = values['no-etcd'] ? undefined : await startEtcd()
  if (raw !== undefined) await add('etcd', raw, etcd(folder))
  if (values.peer !== undefined) await add('peer', peerOf(values, values.peer), kubernetes(folder))
  return subjects
}

function peerOf(values: Values, url: string): Measured {
  const ca = values['peer-ca']
  return {
    target: { url, token: values['peer-token'], ca: ca === undefined ? undefined : readFileSync(ca, 'utf8') },
    pid: Number(values['peer-pid']),
    stop: () => Promise.resolve(),
  }
}

async function measureFloors(size: Size): Promise<Floors> {
  log('disk floor')
  const disk = durableRowsPerSecond(size.clients, 1024, 1)
  log('HTTPS floor')
  const server = await startEcho()
  try {
    const connections = await openAll(server.target, size.clients)
    const body = JSON.stringify({ text: 'x'.repeat(900) })
    const run = (operation: Parameters<typeof drive>[3]): Promise<Result> =>
      drive(server, connections, size.objects, operation)
    await run((c) => c.request('GET', '/'))
    const echoes = {
      'echo get': await run((c) => c.request('GET', '/')),
      'echo post': await run((c) => c.request('POST', '/', body)),
    }
    connections.forEach((c) => c.close())
    return { disk, ...echoes }
  } finally {
    await server.stop()
  }
}
