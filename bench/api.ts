import { parseArgs } from 'node:util'
import { startEcho, startStellwerk } from './child.ts'
import { durableRowsPerSecond } from './disk-floor.ts'
import { drive, openAll, type Result } from './drive.ts'
import { runPhases, type Size } from './phases.ts'
import { printReport } from './report.ts'

const HELP = `npm run bench [-- options]

Measures create, get, update, patch, list, watch and delete of our own server with TLS, authentication and durable
writes, beside the floors of this machine in the same run: bare durable SQLite rows and a bare HTTPS echo of a kilobyte
of JSON. Numbers of different runs are not comparable; ratios are. \`npm run bench -- applications\` and
\`npm run bench -- events\` measure the controllers instead.

  --objects N    objects to create (default 5000)
  --clients N    concurrent connections (default 32)
  --watchers N   open watches in the watch phase (default 50)
  --json         print one JSON document instead of the table

Example: npm run bench -- --objects 20000 --watchers 200`

const OPTIONS = {
  objects: { type: 'string', default: '5000' },
  clients: { type: 'string', default: '32' },
  watchers: { type: 'string', default: '50' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

const log = (text: string): void => void process.stderr.write(`  ${text}\n`)

export async function benchApi(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  if (values.help) return void process.stdout.write(`${HELP}\n`)
  const size = { objects: Number(values.objects), clients: Number(values.clients), watchers: Number(values.watchers) }
  log('disk floor')
  const disk = durableRowsPerSecond(size.clients, 1024)
  log('HTTPS floor')
  const echo = await measureEcho(size)
  log('stellwerk')
  const server = await startStellwerk()
  try {
    const rows = await runPhases(server, size, log)
    const floors = { disk, ...echo }
    if (values.json) process.stdout.write(`${JSON.stringify({ size, floors, rows }, null, 2)}\n`)
    else printReport(size, floors, rows)
  } finally {
    await server.stop()
  }
}

async function measureEcho(size: Size): Promise<{ 'echo get': Result; 'echo post': Result }> {
  const server = await startEcho()
  try {
    const connections = await openAll(server.target, size.clients)
    const body = JSON.stringify({ text: 'x'.repeat(900) })
    const run = (operation: Parameters<typeof drive>[3]): Promise<Result> =>
      drive(server, connections, size.objects, operation)
    await run((c) => c.request('GET', '/'))
    return {
      'echo get': await run((c) => c.request('GET', '/')),
      'echo post': await run((c) => c.request('POST', '/', body)),
    }
  } finally {
    await server.stop()
  }
}
