import type { Clock } from '#lib/clock.ts'
import { Deadlines } from './deadlines.ts'
import type { Cause } from './tracker.ts'

/** Enough to explain a run; a hot object may have thousands. */
const KEPT_CAUSES = 8
const BASE_MS = 1000
const CAP_MS = 300_000

/** Exponential, never more than five minutes, a little apart from others that failed together. `random` in [0, 1). */
export const backOffMs = (failures: number, random: number): number =>
  Math.min(CAP_MS, BASE_MS * 2 ** Math.min(failures, 20)) * (0.75 + 0.25 * random)

/** The causes of a run: how many, and the first few. */
export interface Causes {
  readonly count: number
  readonly first: readonly Cause[]
}

class Entry {
  readonly key: string
  state: 'idle' | 'queued' | 'running' = 'idle'
  count = 0
  first: Cause[] = []
  /** Why it will run when its deadline comes. */
  later: Cause | undefined
  failures = 0

  constructor(key: string) {
    this.key = key
  }
}

export interface QueueOptions {
  readonly clock: Clock
  /** In [0, 1): spreads retries. */
  readonly random?: (() => number) | undefined
  /** Called when there is something to take. */
  readonly wake: () => void
  readonly requeued?: ((key: string, cause: Cause['type']) => void) | undefined
}

/** Keys waiting to run: each at most once, never two runs of one key at a time, failed ones later and later. */
export class Queue {
  readonly #entries = new Map<string, Entry>()
  readonly #options: QueueOptions
  readonly #deadlines: Deadlines
  #waiting: Entry[] = []
  #head = 0
  #running = 0

  constructor(options: QueueOptions) {
    this.#options = options
    this.#deadlines = new Deadlines(options.clock, (key) =>
      this.add(key, this.#entries.get(key)?.later ?? { type: 'time' }),
    )
  }

  get depth(): number {
    return this.#waiting.length - this.#head
  }

  get running(): number {
    return this.#running
  }

  /** Runs the key soon; when it is running, once more after that. */
  add(key: string, cause: Cause): void {
    const entry = this.#entry(key)
    entry.count++
    if (entry.first.length < KEPT_CAUSES) entry.first.push(cause)
    this.#options.requeued?.(key, cause.type)
    if (entry.state !== 'idle') return
    this.#enqueue(entry)
  }

  isRunning(key: string): boolean {
    return this.#entries.get(key)?.state === 'running'
  }

  take(): { readonly key: string; readonly causes: Causes } | undefined {
    const entry = this.#waiting[this.#head]
    if (entry === undefined) return undefined
    this.#head++
    if (this.#head > 1024 && this.#head * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#head)
      this.#head = 0
    }
    const causes: Causes = { count: entry.count, first: entry.first }
    entry.state = 'running'
    entry.count = 0
    entry.first = []
    entry.later = undefined
    this.#deadlines.clear(entry.key)
    this.#running++
    return { key: entry.key, causes }
  }

  /** Ends a run. `at`: run again then, whatever happens. */
  done(
    key: string,
    next: { readonly at?: number | undefined; readonly cause?: Cause; readonly failed?: boolean } = {},
  ): void {
    const entry = this.#entry(key)
    this.#running--
    entry.state = 'idle'
    const retryAt = this.#count(entry, next.failed === true)
    const at = Math.min(next.at ?? Infinity, retryAt ?? Infinity)
    if (entry.count > 0) return this.#enqueue(entry)
    if (at < Infinity) {
      entry.later = retryAt === at ? { type: 'retry' } : (next.cause ?? { type: 'time' })
      this.#deadlines.set(key, at)
    } else if (entry.failures === 0) this.#entries.delete(key)
  }

  /** Drops a key nobody wants to run any more. It must not be running. */
  forget(key: string): void {
    this.#deadlines.clear(key)
    const entry = this.#entries.get(key)
    if (entry !== undefined && entry.state === 'idle') this.#entries.delete(key)
  }

  stop(): void {
    this.#deadlines.stop()
    this.#waiting = []
    this.#head = 0
  }

  #count(entry: Entry, failed: boolean): number | undefined {
    if (!failed) {
      entry.failures = 0
      return undefined
    }
    const random = (this.#options.random ?? Math.random)()
    return this.#options.clock.now() + backOffMs(entry.failures++, random)
  }

  #enqueue(entry: Entry): void {
    entry.state = 'queued'
    this.#waiting.push(entry)
    this.#options.wake()
  }

  #entry(key: string): Entry {
    let entry = this.#entries.get(key)
    if (entry === undefined) this.#entries.set(key, (entry = new Entry(key)))
    return entry
  }
}
