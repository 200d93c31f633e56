import { isStatus } from '#domain/errors.ts'
import type { Resource } from '#domain/object.ts'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { Refused } from '#source/source.ts'
import type { Beliefs } from './beliefs.ts'
import { entityAt } from './entity.ts'
import type { Item } from './item.ts'
import type { ControlMetrics } from './metrics.ts'
import type { Queue } from './queue.ts'
import type { Cause } from './tracker.ts'
import type { Turn } from './turn.ts'
import type { Outdated } from './writer.ts'

/** After the store was not well, and did not say for how long. */
const PAUSE_MS = 1000

interface Options {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: ControlMetrics
  readonly queue: Queue
  readonly beliefs: Beliefs
  readonly absorb: (entity: string, resource: Resource | undefined) => void
  readonly enqueue: (entity: string, cause: Cause) => void
  readonly awaitNews: (item: Item, outdated: Pick<Outdated, 'entity' | 'version'>) => void
  /** The store may be well again. */
  readonly resume: () => void
}

/** Stores turns; what cannot be stored is undone and comes again. */
export class Storing {
  readonly #options: Options
  /** Objects whose runs are being undone: they run again anyway. */
  #undoing: ReadonlySet<string> = new Set()
  #cautious = 0
  #paused = false

  constructor(options: Options) {
    this.#options = options
  }

  /** The store is not well: nothing is tried before it may be again. */
  get paused(): boolean {
    return this.#paused
  }

  /** One run per turn: one of the last ones made a write that cannot be stored. */
  get cautious(): boolean {
    return this.#cautious > 0
  }

  isUndoing(entity: string): boolean {
    return this.#undoing.has(entity)
  }

  /** False: nothing of it is stored. */
  async store(turn: Turn): Promise<boolean> {
    const { metrics, beliefs } = this.#options
    if (this.#cautious > 0) this.#cautious--
    let refused: Refused | undefined
    try {
      refused = await turn.writer.commit()
    } catch (error) {
      this.#undo(turn)
      this.#retry(turn, error)
      return false
    }
    if (refused !== undefined) {
      this.#undo(turn)
      this.#standBack(turn, refused)
      return false
    }
    for (const { kind, verb } of turn.writer.writes) metrics.write(kind.kind, verb)
    beliefs.stored(turn)
    return true
  }

  /** Everything is again what it is in the store. */
  #undo(turn: Turn): void {
    const { queue, absorb } = this.#options
    for (const { item } of turn.errands) queue.done(item.entity)
    this.#undoing = new Set(Array.from(turn.ran.keys(), (item) => item.entity))
    for (const [entity, before] of [...turn.before].toReversed()) absorb(entity, before)
    this.#undoing = new Set()
  }

  /** Somebody else was faster with one object: whoever wrote that waits for the news of it. */
  #standBack(turn: Turn, { kind, ref }: Refused): void {
    const { beliefs, queue, awaitNews, enqueue } = this.#options
    const entity = entityAt(kind, ref)
    beliefs.contend(entity)
    const version = beliefs.find(entity)?.metadata.resourceVersion
    for (const item of turn.ran.keys()) {
      if (turn.wrote(item, entity)) {
        awaitNews(item, { entity, version })
        queue.fail(item.entity)
      } else enqueue(item.entity, { type: 'conflict', entity })
    }
  }

  /** A store that is not well is left alone for a while; a write it cannot take is found by trying one run at a time. */
  #retry(turn: Turn, error: unknown): void {
    const { log, queue, enqueue } = this.#options
    const [alone, ...others] = turn.ran.keys()
    if (isStatus(error, 'ServiceUnavailable') || isStatus(error, 'TooManyRequests')) {
      this.#pause(error.details?.retryAfterSeconds)
    } else {
      log.error('storing failed', { runs: turn.ran.size, error })
      if (alone !== undefined && others.length === 0) return queue.fail(alone.entity)
      this.#cautious = turn.ran.size
    }
    for (const item of turn.ran.keys()) enqueue(item.entity, { type: 'retry' })
  }

  #pause(seconds: number | undefined): void {
    const { clock, resume } = this.#options
    this.#paused = true
    clock.setTimer(clock.now() + (seconds === undefined ? PAUSE_MS : seconds * 1000), () => {
      this.#paused = false
      resume()
    })
  }
}
