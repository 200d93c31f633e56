import type { Clock } from '#lib/clock.ts'

export interface KeyQueueOptions {
  readonly clock: Clock
  /** Handles a key by looking at the state as it is; a failure is tried again later. */
  readonly handle: (key: string) => Promise<void>
  /** Keys handled at once: enough for the store to commit their writes in groups. */
  readonly width: number
}

const RETRY_MS = 1000

/** Keys to look at. A key waits at most once and is never handled twice at the same time. */
export class KeyQueue {
  readonly #options: KeyQueueOptions
  readonly #waiting = new Set<string>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #retries = new Map<string, () => void>()
  #settled: (() => void)[] = []
  #closed = false

  constructor(options: KeyQueueOptions) {
    this.#options = options
  }

  get idle(): boolean {
    return this.#waiting.size === 0 && this.#running.size === 0 && this.#retries.size === 0
  }

  add(key: string): void {
    if (this.#closed) return
    this.#retries.get(key)?.()
    this.#retries.delete(key)
    this.#waiting.add(key)
    queueMicrotask(() => this.#start())
  }

  /** Resolves when nothing waits, runs or is to be tried again. */
  settled(): Promise<void> {
    return this.idle ? Promise.resolve() : new Promise((resolve) => this.#settled.push(resolve))
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    this.#closed = true
    this.#waiting.clear()
    for (const cancel of this.#retries.values()) cancel()
    this.#retries.clear()
    await Promise.all(this.#running.values())
    this.#announce()
  }

  #start(): void {
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#options.width) return
      if (this.#running.has(key)) continue
      this.#waiting.delete(key)
      this.#running.set(key, this.#run(key))
    }
    this.#announce()
  }

  async #run(key: string): Promise<void> {
    let failed = false
    try {
      await this.#options.handle(key)
    } catch {
      failed = true
    }
    this.#running.delete(key)
    if (failed && !this.#closed) this.#retryLater(key)
    this.#start()
  }

  #retryLater(key: string): void {
    const { clock } = this.#options
    this.#retries.set(
      key,
      clock.setTimer(clock.now() + RETRY_MS, () => this.add(key)),
    )
  }

  #announce(): void {
    if (!this.idle) return
    for (const resolve of this.#settled) resolve()
    this.#settled = []
  }
}
