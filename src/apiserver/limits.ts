import { StatusError } from '#domain/errors.ts'
import type { BodyBudget } from './read-body.ts'

export interface LimitOptions {
  readonly reads: number
  readonly writes: number
  readonly watches: number
  /** Bytes of request bodies being received at the same time. */
  readonly bodyBytes: number
}

export const DEFAULT_LIMITS: LimitOptions = { reads: 1000, writes: 1000, watches: 20_000, bodyBytes: 256 * 1024 * 1024 }

export type Lane = 'reads' | 'writes' | 'watches'

/** Whoever gives way to requests waits no longer than this for them. */
const LONGEST_WAIT_MS = 3

/** Counts what is under way and turns away what would be too much; the answer tells when to come back. */
export class Limits implements BodyBudget {
  readonly #most: LimitOptions
  readonly #underWay = { reads: 0, writes: 0, watches: 0 }
  #bodyBytes = 0
  #waiting: (() => void) | undefined
  /** Those under way now take long (a slow caller, say): nobody waits for them again. */
  #slow = false

  constructor(most: LimitOptions = DEFAULT_LIMITS) {
    this.#most = most
  }

  underWay(lane: Lane): number {
    return this.#underWay[lane]
  }

  /** @throws StatusError TooManyRequests */
  enter(lane: Lane): void {
    if (this.#underWay[lane] >= this.#most[lane]) throw tooMany(`too many ${lane} at the same time`)
    this.#underWay[lane]++
    if (lane !== 'watches') this.#slow = false
  }

  leave(lane: Lane): void {
    this.#underWay[lane]--
    if (lane === 'watches') return
    this.#slow = false
    if (this.#isIdle()) this.#waiting?.()
  }

  /** For work that can wait: resolves when no request is being answered, or after a moment. Undefined: go on. */
  whenIdle(): Promise<void> | undefined {
    if (this.#slow || this.#isIdle()) return undefined
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#waiting = undefined
        resolve()
      }
      const timer = setTimeout(() => {
        this.#slow = true
        end()
      }, LONGEST_WAIT_MS)
      this.#waiting = end
    })
  }

  #isIdle(): boolean {
    return this.#underWay.reads + this.#underWay.writes === 0
  }

  take(bytes: number): void {
    if (this.#bodyBytes + bytes > this.#most.bodyBytes) throw tooMany('too many large requests at the same time')
    this.#bodyBytes += bytes
  }

  give(bytes: number): void {
    this.#bodyBytes -= bytes
  }
}

const tooMany = (why: string): StatusError =>
  new StatusError('TooManyRequests', `${why}, please try again later`, { retryAfterSeconds: 1 })
