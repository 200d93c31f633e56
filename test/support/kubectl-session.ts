import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Kubectl } from './kubectls.ts'
import type { ServerProcess } from './server.ts'

export interface Outcome {
  readonly code: number
  /** Standard output and error, as a person sees them. */
  readonly text: string
}

/** One kubectl that talks to one server, with a cache of its own and nothing of the user's. */
export class KubectlSession {
  readonly #path: string
  readonly #env: NodeJS.ProcessEnv
  readonly namespace: string

  /** Sessions of the same kubectl are told apart by `name`. */
  constructor(kubectl: Kubectl, server: ServerProcess, name = 'k') {
    this.namespace = `${name}-${kubectl.version.replaceAll('.', '-')}`
    const home = join(server.data, `home-${kubectl.version}`)
    mkdirSync(home, { recursive: true })
    this.#path = kubectl.path
    this.#env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: server.kubeconfig }
  }

  async run(args: readonly string[], input = '', env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
    const child = spawn(this.#path, args, { env: { ...this.#env, ...env }, timeout: 60_000 })
    const closed = once(child, 'close')
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    const chunks: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    const [code] = (await closed) as [number]
    return { code, text: Buffer.concat(chunks).toString() }
  }

  /** Starts a command that goes on by itself; the lines it prints, one by one. */
  follow(args: readonly string[]): { next(): Promise<string>; stop(): void } {
    const child = spawn(this.#path, args, { env: this.#env, stdio: ['ignore', 'pipe', 'inherit'], timeout: 60_000 })
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    return {
      next: async () => {
        const { value, done } = await lines.next()
        if (done === true) throw new Error(`${args.join(' ')} ended`)
        return value
      },
      stop: () => void child.kill(),
    }
  }
}
