import type { Worker } from 'node:worker_threads'
import { FrameWriter, readFrames } from './frames.ts'
import type { Journal, PlannedWrite, Trim } from './journal.ts'
import type { LoggedChange, LoggedTransaction } from './recent-changes.ts'
import type { Failure } from './sqlite-errors.ts'
import type { Answer, Question } from './sqlite-messages.ts'
import { Compacted, StoreUnavailable } from './store.ts'
import type { Revision } from './store.ts'
import { viewOf } from './value-slabs.ts'

interface Waiting {
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: Error) => void
}

/** What becomes of writes: every failure is told, and the first success after one. */
export type WritesTold = (failure: Failure | undefined) => void

export interface JournalListeners {
  /** Called once when the worker has ended without having been asked to. */
  readonly onLost: (error: Error) => void
  readonly onWrites: WritesTold
}

/** A buffer larger than this is not kept for the next batch. */
const SPARE_MAX = 4 << 20

/** The journal's end of the conversation with the worker that owns the database. */
export class SqliteJournal implements Journal {
  readonly #worker: Worker
  /** Whoever waits for an answer; the worker answers in the order it was asked. */
  readonly #waiting: Waiting[] = []
  #spare: ArrayBuffer | undefined
  readonly #listeners: JournalListeners
  #refusing = false
  #lost: Error | undefined
  #closing = false

  constructor(worker: Worker, listeners: JournalListeners) {
    this.#worker = worker
    this.#listeners = listeners
    worker.on('message', (answer: Answer) => this.#answered(answer))
    worker.on('error', (error) => this.#lose(error))
    worker.on('exit', () => this.#lose(new Error('the thread that owns the database has ended; restart the process')))
  }

  async commit(writes: readonly PlannedWrite[]): Promise<void> {
    const frames = new FrameWriter(this.#spare)
    this.#spare = undefined
    for (const write of writes) addFrames(frames, write)
    const question = { type: 'commit', frames: frames.buffer, length: frames.length } as const
    const answer = await this.#ask(question, [frames.buffer]).catch((error: unknown) => this.#refuse(error))
    if (this.#refusing) this.#listeners.onWrites(undefined)
    this.#refusing = false
    if (answer.type === 'committed' && answer.frames.byteLength <= SPARE_MAX) this.#spare = answer.frames
  }

  #refuse(error: unknown): never {
    if (error instanceof StoreUnavailable && error !== this.#lost) {
      this.#refusing = true
      this.#listeners.onWrites(error.cause as Failure)
    }
    throw error
  }

  async read(after: Revision, until: Revision, prefix: string): ReturnType<Journal['read']> {
    const answer = await this.#ask({ type: 'read', after, until, prefix })
    if (answer.type === 'compacted') {
      throw new Compacted(`revision ${after} is no longer kept; the oldest one is ${answer.floor}`)
    }
    if (answer.type !== 'read') throw new Error(`unexpected answer ${answer.type}`)
    return { transactions: transactionsOf(answer.frames, answer.length), complete: answer.complete }
  }

  async trim(trim: Trim): ReturnType<Journal['trim']> {
    const answer = await this.#ask({ type: 'trim', ...trim })
    if (answer.type !== 'trimmed') throw new Error(`unexpected answer ${answer.type}`)
    return answer
  }

  async close(): Promise<void> {
    if (this.#lost) return
    this.#closing = true
    const exit = new Promise((resolve) => this.#worker.once('exit', resolve))
    await this.#ask({ type: 'close' })
    await exit
  }

  #ask(question: Question, buffers: readonly ArrayBuffer[] = []): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#lost) throw this.#lost
      this.#waiting.push({ resolve, reject })
      this.#worker.postMessage(question, [...buffers])
    })
  }

  #answered(answer: Answer): void {
    const waiting = this.#waiting.shift()
    if (answer.type !== 'failed') return waiting?.resolve(answer)
    waiting?.reject(
      new StoreUnavailable(
        `the store cannot use its disk: ${answer.failure.message}; it works again once that is solved`,
        { cause: answer.failure },
      ),
    )
  }

  #lose(error: Error): void {
    const first = this.#lost === undefined
    this.#lost ??= new StoreUnavailable(`the store has stopped: ${error.message}`, { cause: error })
    for (const { reject } of this.#waiting.splice(0)) reject(this.#lost)
    if (first && !this.#closing) this.#listeners.onLost(this.#lost)
  }
}

function addFrames(frames: FrameWriter, { revision, changes }: PlannedWrite): void {
  for (const [index, { key, version, previous }] of changes.entries()) {
    frames.add({
      revision,
      index,
      previousRevision: previous?.revision ?? 0,
      previousIndex: previous?.index ?? 0,
      key,
      value: version && viewOf(version),
      previous: undefined,
    })
  }
}

function transactionsOf(buffer: ArrayBuffer, length: number): LoggedTransaction[] {
  const transactions: { revision: Revision; changes: LoggedChange[] }[] = []
  for (const { revision, previousRevision, key, value, previous } of readFrames(buffer, length)) {
    const last = transactions.at(-1)
    const changes = last?.revision === revision ? last.changes : []
    if (changes !== last?.changes) transactions.push({ revision, changes })
    const type = value ? 'put' : 'delete'
    changes.push({ revision, type, key, value: (value ?? previous)!, previous, previousRevision })
  }
  return transactions
}
