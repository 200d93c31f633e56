import { mkdirSync, openSync, writeSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { UpFlags } from '#cli/program.ts'
import { createLog } from '#lib/log.ts'
import { parsePort, readConfig, type Config } from './config.ts'
import { startServer, type Running } from './server.ts'

const PORT = '6443'

/** `stellwerk up`: the server with defaults and a first screen. The log goes to a file, the screen is for people. */
export async function startLab(flags: UpFlags, version: string): Promise<Running> {
  const config = configFor(flags)
  mkdirSync(flags.data, { recursive: true, mode: 0o700 })
  const logFile = join(flags.data, 'server.log')
  const log = createLog({ level: 'info', destination: { write: appendTo(logFile) } })
  const server = await startServer(config, version, { log }).catch((error: unknown) => {
    if (flags.port !== undefined || !isPortTaken(error)) throw error
    return startServer({ ...config, listen: { ...config.listen, port: 0 } }, version, { log })
  })
  process.stdout.write(`ready ${server.url}\n${firstScreen(server, logFile, version)}`)
  return server
}

/** Whoever typed `--port` never heard of `--listen`. @throws StartError */
function configFor({ data, port }: UpFlags): Config {
  const listen = `127.0.0.1:${parsePort('--port', port ?? PORT)}`
  return readConfig({ data, listen, store: 'sqlite', controllers: true, logLevel: 'info' })
}

/** A line that does not fit on the disk is lost: better than a server that ends because it cannot say something. */
function appendTo(path: string): (line: string) => void {
  const file = openSync(path, 'a', 0o600)
  return (line) => {
    try {
      writeSync(file, line)
    } catch {
      // There is nobody left to tell.
    }
  }
}

const isPortTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url))

function firstScreen(server: Running, logFile: string, version: string): string {
  const beside = (name: string): string => fromHere(join(server.kubeconfig, '..', name))
  return `
  Stellwerk ${version} is up at ${server.url}

  In another terminal:

    export KUBECONFIG=${word(server.kubeconfig)}
    kubectl api-resources
    kubectl explain eventtype.spec
    kubectl apply -f ${fromHere(EXAMPLES)}
    kubectl get zones,eventtypes -A

  Without kubectl:

    curl --cacert ${beside('ca.crt')} \\
      -H "Authorization: Bearer $(cat ${beside('admin.token')})" \\
      ${server.url}/apis

  The log is in ${fromHere(logFile)}. Ctrl-C stops it; everything is kept.
`
}

/** A path as one can type it where the command was started: short if it lies below, whole otherwise. */
function fromHere(path: string): string {
  const near = relative(process.cwd(), path)
  const outside = near === '' || near === '..' || near.startsWith(`..${sep}`)
  return word(outside ? path : path.endsWith(sep) ? near + sep : near)
}

/** One word of a shell, whatever is in it. */
const word = (text: string): string => (/^[\w@%+=:,./\\-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
