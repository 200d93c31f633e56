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
  /** Where it is queued. */
  lane: Lane | undefined
  /** It is queued for nothing but its own writes. */
  isEcho = false
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

/** Objects that come first in their lane run first. */
class Lane {
  #entries: Entry[] = []
  #head = 0

  push(entry: Entry): void {
    entry.lane = this
    this.#entries.push(entry)
  }

  take(): Entry | undefined {
    for (let entry = this.#next(); entry !== undefined; entry = this.#next()) {
      // It has changed lanes meanwhile.
      if (entry.lane !== this) continue
      entry.lane = undefined
      return entry
    }
    return undefined
  }

  #next(): Entry | undefined {
    const entry = this.#entries[this.#head]
    if (entry === undefined) return undefined
    this.#head++
    if (this.#head > 1024 && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head)
      this.#head = 0
    }
    return entry
  }

  clear(): void {
    this.#entries = []
    this.#head = 0
  }
}

/**
 * Every so many turns something is begun although there is something to finish: nobody waits for ever. More than the steps
 * one beginning leads to, else what is unfinished would pile up.
 */
const PATIENT_TURN = 32

/** A batch, or a change many read, is worked off object by object: one is finished before many others are begun. */
const isPatient = (cause: Cause | undefined): boolean =>
  cause?.wide === true || cause?.echo === true || cause?.type === 'start' || cause?.type === 'idle'

/** Keys waiting to run: each at most once, never two runs of one key at a time, failed ones later and later. */
export class Queue {
  readonly #entries = new Map<string, Entry>()
  readonly #options: QueueOptions
  readonly #deadlines: Deadlines
  /** New children, what finishes something begun, and what begins something. */
  readonly #newborn = new Lane()
  readonly #urgent = new Lane()
  readonly #patient = new Lane()
  #taken = 0
  #running = 0
  #depth = 0

  constructor(options: QueueOptions) {
    this.#options = options
    this.#deadlines = new Deadlines(options.clock, (key) =>
      this.add(key, this.#entries.get(key)?.later ?? { type: 'time' }),
    )
  }

  get depth(): number {
    return this.#depth
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
    if (entry.state === 'idle') this.#enqueue(entry, cause)
    else if (entry.isEcho && !isPatient(cause)) this.#push(entry, cause)
  }

  isQueued(key: string): boolean {
    return this.#entries.get(key)?.state === 'queued'
  }

  isRunning(key: string): boolean {
    return this.#entries.get(key)?.state === 'running'
  }

  take(): { readonly key: string; readonly causes: Causes } | undefined {
    const patientFirst = this.#taken++ % PATIENT_TURN === 0
    const entry =
      (patientFirst ? this.#patient.take() : undefined) ??
      this.#newborn.take() ??
      this.#urgent.take() ??
      this.#patient.take()
    if (entry === undefined) return undefined
    const causes: Causes = { count: entry.count, first: entry.first }
    entry.state = 'running'
    entry.isEcho = false
    entry.count = 0
    entry.first = []
    entry.later = undefined
    this.#deadlines.clear(entry.key)
    this.#depth--
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
    if (entry.count > 0) return this.#enqueue(entry, entry.first.find((cause) => !isPatient(cause)) ?? entry.first[0])
    if (at < Infinity) {
      entry.later = retryAt === at ? { type: 'retry' } : (next.cause ?? { type: 'time' })
      this.#deadlines.set(key, at)
    } else if (entry.failures === 0) this.#entries.delete(key)
  }

  /** A run that had ended was in vain: it comes again after the usual back-off, unless there is another reason before. */
  fail(key: string): void {
    const entry = this.#entry(key)
    if (entry.state !== 'idle') return
    entry.later = { type: 'retry' }
    this.#deadlines.set(key, this.#count(entry, true)!)
  }

  /** Drops a key nobody wants to run any more. It must not be running. */
  forget(key: string): void {
    this.#deadlines.clear(key)
    const entry = this.#entries.get(key)
    if (entry !== undefined && entry.state === 'idle') this.#entries.delete(key)
  }

  stop(): void {
    this.#deadlines.stop()
    this.#newborn.clear()
    this.#urgent.clear()
    this.#patient.clear()
    this.#depth = 0
  }

  #count(entry: Entry, failed: boolean): number | undefined {
    if (!failed) {
      entry.failures = 0
      return undefined
    }
    const random = (this.#options.random ?? Math.random)()
    return this.#options.clock.now() + backOffMs(entry.failures++, random)
  }

  #enqueue(entry: Entry, cause: Cause | undefined): void {
    entry.state = 'queued'
    this.#depth++
    this.#push(entry, cause)
    this.#options.wake()
  }

  #push(entry: Entry, cause: Cause | undefined): void {
    entry.isEcho = cause?.echo === true
    this.#laneOf(cause).push(entry)
  }

  /** An owner that waits for its children runs once they have run, and not once for each of them. */
  #laneOf(cause: Cause | undefined): Lane {
    if (isPatient(cause)) return this.#patient
    return cause?.type === 'created' ? this.#newborn : this.#urgent
  }

  #entry(key: string): Entry {
    let entry = this.#entries.get(key)
    if (entry === undefined) this.#entries.set(key, (entry = new Entry(key)))
    return entry
  }
}
