import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Target } from '#test/support/connection.ts'

const root = join(import.meta.dirname, '..')
const TICKS_PER_SECOND = 100

/** A process under measurement: what it serves, and what it has cost so far. */
export interface Measured {
  readonly target: Target
  readonly pid: number
  stop(): Promise<void>
}

/** CPU seconds a process and its threads have used; NaN when it is not ours to see (pid 0). */
export function cpuSeconds(pid: number): number {
  if (pid === 0) return Number.NaN
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Resident bytes of a process. */
export function residentBytes(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(line ?? 0) * 1024
}

export interface ServerOptions {
  /** Further flags of `serve`; the API alone unless given. */
  readonly flags?: readonly string[]
  /** Whether STELLWERK_CPU_PROFILE counts; unless said, for a server with controllers. */
  readonly profile?: boolean
  /** Data of an earlier server, which `kill` has left; a new directory unless given. */
  readonly data?: string
}

export interface Stellwerk extends Measured {
  readonly data: string
  /** Ends it without a warning and leaves its data. */
  kill(): Promise<void>
}

/** Our own server. With STELLWERK_CPU_PROFILE=directory it leaves a profile there when it stops. */
export async function startStellwerk(options: ServerOptions = {}): Promise<Stellwerk> {
  const { flags = ['--no-controllers'], data = mkdtempSync(join(tmpdir(), 'stellwerk-bench-')) } = options
  const args = ['serve', '--data', data, '--listen', '127.0.0.1:0', ...flags]
  const profile = process.env['STELLWERK_CPU_PROFILE']
  const [program, before] =
    profile === undefined || !(options.profile ?? !flags.includes('--no-controllers'))
      ? [join(root, 'stellwerk'), []]
      : [process.execPath, ['--cpu-prof', `--cpu-prof-dir=${profile}`, join(root, 'src/main.ts')]]
  const child = spawn(program, [...before, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
  const url = (await firstLine(child)).replace(/^ready /, '')
  const read = (name: string): string => readFileSync(join(data, name), 'utf8').trim()
  return {
    target: { url, token: read('admin.token'), ca: readFileSync(join(data, 'ca.crt'), 'utf8') },
    pid: child.pid ?? 0,
    data,
    kill: () => end(child, 'SIGKILL'),
    stop: () => end(child).finally(() => rmSync(data, { recursive: true, force: true })),
  }
}

/** The floor of this machine for HTTPS with JSON: a server that parses a body and answers with it, nothing else. */
export async function startEcho(): Promise<Measured> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'echo.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { target: { url: await firstLine(child) }, pid: child.pid ?? 0, stop: () => end(child) }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server stopped with code ${code} before it was ready`)))
    if (child.stdout === null) throw new Error('the child has no stdout')
    createInterface(child.stdout).once('line', resolve)
  })
}

export function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill(signal)
  })
}
