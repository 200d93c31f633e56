import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Target } from '#test/support/connection.ts'

const launcher = join(import.meta.dirname, '..', '..', 'stellwerk')

/** A server as a user starts it: the launcher's process id is the server's. */
export interface ChildServer {
  readonly process: ChildProcess
  readonly pid: number
  readonly target: Target
  /** Ends it the hard way or the polite way and waits until it is gone. */
  kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

const running = new Set<ChildProcess>()

/** A directory that goes when the test does, after the servers in it, however the test ended. */
export function scratch(t: { after(act: () => unknown): void }, name: string): string {
  const data = mkdtempSync(join(tmpdir(), `stellwerk-${name}-`))
  t.after(async () => {
    await killAll()
    rmSync(data, { recursive: true, force: true })
  })
  return data
}

export async function killAll(): Promise<void> {
  await Promise.all([...running].map((child) => killChild(child, 'SIGKILL')))
}

export function spawnServer(
  data: string,
  extra: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const args = ['serve', '--data', data, '--listen', '127.0.0.1:0', '--no-controllers', ...extra]
  const child = spawn(launcher, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

export async function startChild(
  data: string,
  extra: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ChildServer> {
  const child = spawnServer(data, extra, env)
  const url = await readyUrl(child)
  const token = readFileSync(join(data, 'admin.token'), 'utf8').trim()
  const ca = readFileSync(join(data, 'ca.crt'), 'utf8')
  return { process: child, pid: child.pid ?? 0, target: { url, token, ca }, kill: (signal) => killChild(child, signal) }
}

function readyUrl(child: ChildProcess): Promise<string> {
  const errors: string[] = []
  if (child.stdout === null || child.stderr === null) throw new Error('the child has no pipes')
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()))
  const lines = createInterface(child.stdout)
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server stopped with ${code}: ${errors.join('').slice(-2000)}`)))
    lines.on('line', (line) => line.startsWith('ready ') && resolve(line.slice(6)))
  })
}

export function killChild(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill(signal)
  })
}
