import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

export interface Calls {
  readonly PUT: number
  readonly DELETE: number
  readonly POST: number
}

/** A configuration backend and token endpoint on a thread of its own. */
export class Backend {
  readonly origin: string
  readonly #worker: Worker

  private constructor(worker: Worker, origin: string) {
    this.#worker = worker
    this.origin = origin
  }

  static async start(): Promise<Backend> {
    const worker = new Worker(join(import.meta.dirname, 'backend-worker.ts'))
    const [origin] = (await once(worker, 'message')) as [string]
    return new Backend(worker, origin)
  }

  /** Requests since it was last asked. */
  async take(): Promise<Calls> {
    const answer = once(this.#worker, 'message')
    this.#worker.postMessage('take')
    return ((await answer) as [Calls])[0]
  }

  async stop(): Promise<void> {
    await this.#worker.terminate()
  }
}
