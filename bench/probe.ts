import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Target } from '#test/support/connection.ts'

/** What a client saw: one create for every three reads of one object. */
export interface Probed extends Summary {
  /** p99 of each. */
  readonly reads: number
  readonly writes: number
}

export interface Summary {
  readonly requests: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** A client on a thread of its own, so that its times are the server's and not those of whoever makes the load. */
export class Probe {
  readonly #worker: Worker

  constructor(target: Target) {
    this.#worker = new Worker(join(import.meta.dirname, 'probe-worker.ts'), { workerData: target })
  }

  /** What it saw since it was last asked, in milliseconds. */
  async take(message: 'take' | 'stop' = 'take'): Promise<Probed> {
    const answer = once(this.#worker, 'message')
    this.#worker.postMessage(message)
    const [{ reads, writes }] = (await answer) as [{ readonly reads: number[]; readonly writes: number[] }]
    return { ...summary([...reads, ...writes]), reads: summary(reads).p99, writes: summary(writes).p99 }
  }

  async stop(): Promise<void> {
    await this.take('stop')
    await this.#worker.terminate()
  }
}

export function summary(times: readonly number[]): Summary {
  const sorted = times.toSorted((a, b) => a - b)
  const quantile = (q: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0
  return { requests: sorted.length, p50: quantile(0.5), p99: quantile(0.99), max: sorted.at(-1) ?? 0 }
}
