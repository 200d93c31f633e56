import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Lateness, readLateness } from './lateness.ts'
import type { Address } from './wire.ts'

export interface PlainServer {
  readonly address: Address
  /** The same with TLS. */
  readonly secure: Address
  readonly token: string
  readonly pid: number
  /** What it logged as errors so far. */
  readonly errors: () => readonly string[]
  readonly lateness: () => Lateness
  /** How it ended and what it said last, if it did. */
  readonly ended: () => string | undefined
}

const LAUNCHER = join(import.meta.dirname, '..', '..', 'stellwerk')

/** `stellwerk serve` as it is shipped, reached without TLS: bytes of our own choosing are the point here. */
export async function startPlainServer(
  t: { after(act: () => unknown): void },
  flags: readonly string[] = ['--no-controllers'],
): Promise<PlainServer> {
  const data = mkdtempSync(join(tmpdir(), 'stellwerk-fuzz-'))
  const log = join(data, 'log')
  const turns = join(data, 'lateness')
  const child = start(data, { log, turns, flags })
  const gone = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await gone
    rmSync(data, { recursive: true, force: true })
  })
  const errors = (): string[] => errorsIn(log)
  let end: string | undefined
  const ready = Promise.withResolvers<string>()
  createInterface(child.stdout!).on('line', ready.resolve)
  child.once('exit', (code, signal) => {
    end = `the server ended with ${code ?? signal}: ${errors().slice(-30).join('\n')}`
    ready.reject(new Error(end))
  })
  const secure = Number(/^ready https:.*:(\d+)$/.exec(await ready.promise)?.[1])
  const port = Number(/"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(readFileSync(log, 'utf8'))?.[1])
  // Until it is ready nobody waits for it.
  const starting = readLateness(turns).turns
  const token = readFileSync(join(data, 'admin.token'), 'utf8').trim()
  return {
    address: { host: '127.0.0.1', port },
    secure: { host: '127.0.0.1', port: secure },
    token,
    pid: child.pid ?? 0,
    errors,
    lateness: () => readLateness(turns, starting),
    ended: () => end,
  }
}

interface Start {
  readonly log: string
  readonly turns: string
  readonly flags: readonly string[]
}

/** Its log goes to a file: a pipe that we are too busy to read would make it wait for us. */
function start(data: string, { log, turns, flags }: Start): ChildProcess {
  const args = ['serve', '--data', data, '--listen', '127.0.0.1:0', '--http', '127.0.0.1:0', ...flags]
  const probe = `--import=${new URL('lateness-probe.ts', import.meta.url).href}`
  const options = `${process.env.NODE_OPTIONS ?? ''} ${probe}`
  const output = openSync(log, 'a')
  const env = { ...process.env, NODE_OPTIONS: options, STELLWERK_LATENESS: turns }
  const child = spawn(LAUNCHER, args, { stdio: ['ignore', 'pipe', output], env })
  closeSync(output)
  return child
}

function errorsIn(log: string): string[] {
  const lines = readFileSync(log, 'utf8').split('\n')
  const errors = lines.filter((line) => line !== '' && !/"level":"(info|debug)"/.test(line))
  return errors.slice(0, 50).map((line) => line.slice(0, 2000))
}
