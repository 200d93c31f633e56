import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Address } from './wire.ts'

export interface PlainServer {
  readonly address: Address
  readonly token: string
  readonly pid: number
  /** What it logged as errors so far. */
  readonly errors: readonly string[]
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
  const args = ['serve', '--data', data, '--listen', '127.0.0.1:0', '--http', '127.0.0.1:0', ...flags]
  const child = spawn(LAUNCHER, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const gone = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await gone
    rmSync(data, { recursive: true, force: true })
  })
  const errors: string[] = []
  let end: string | undefined
  const found = Promise.withResolvers<number>()
  createInterface(child.stderr).on('line', (line) => {
    const port = /"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(line)?.[1]
    if (port !== undefined) found.resolve(Number(port))
    else if (!/"level":"(info|debug)"/.test(line) && errors.length < 50) errors.push(line.slice(0, 2000))
  })
  child.once('exit', (code, signal) => {
    end = `the server ended with ${code ?? signal}: ${errors.slice(-30).join('\n')}`
    found.reject(new Error(end))
  })
  const port = await found.promise
  // The token is there before the sockets are.
  const token = readFileSync(join(data, 'admin.token'), 'utf8').trim()
  return {
    address: { host: '127.0.0.1', port },
    token,
    pid: child.pid ?? 0,
    errors,
    ended: () => end,
  }
}
