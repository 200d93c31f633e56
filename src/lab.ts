import { mkdirSync, openSync, writeSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { UpFlags } from '#cli/program.ts'
import { createLog } from '#lib/log.ts'
import { readConfig } from './config.ts'
import { startServer, type Running } from './server.ts'

const PORT = '6443'

/** `stellwerk up`: the server with defaults and a first screen. The log goes to a file, the screen is for people. */
export async function startLab(flags: UpFlags, version: string): Promise<Running> {
  mkdirSync(flags.data, { recursive: true, mode: 0o700 })
  const logFile = join(flags.data, 'server.log')
  const file = openSync(logFile, 'a', 0o600)
  const log = createLog({ level: 'info', destination: { write: (line) => void writeSync(file, line) } })
  const start = (port: string): Promise<Running> => startServer(configFor(flags, port), version, { log })
  const server = await start(flags.port ?? PORT).catch((error: unknown) => {
    if (flags.port !== undefined || !isPortTaken(error)) throw error
    return start('0')
  })
  process.stdout.write(`ready ${server.url}\n${firstScreen(server, logFile, version)}`)
  return server
}

const configFor = ({ data }: UpFlags, port: string) =>
  readConfig({ data, listen: `127.0.0.1:${port}`, store: 'sqlite', controllers: true, logLevel: 'info' })

const isPortTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'

function firstScreen(server: Running, logFile: string, version: string): string {
  return `
  Stellwerk ${version} is up at ${server.url}

  In another terminal:

    export KUBECONFIG=${server.kubeconfig}
    kubectl api-resources
    kubectl explain eventtype.spec
    kubectl apply -f examples/
    kubectl get zones,eventtypes -A

  Without kubectl:

    curl --cacert ${relative(process.cwd(), join(server.kubeconfig, '..', 'ca.crt'))} \\
      -H "Authorization: Bearer $(cat ${relative(process.cwd(), join(server.kubeconfig, '..', 'admin.token'))})" \\
      ${server.url}/apis

  The log is in ${relative(process.cwd(), logFile) || logFile}. Ctrl-C stops it; everything is kept.
`
}
