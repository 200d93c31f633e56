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

/** Counts what is under way and turns away what would be too much; the answer tells when to come back. */
export class Limits implements BodyBudget {
  readonly #most: LimitOptions
  readonly #underWay = { reads: 0, writes: 0, watches: 0 }
  #bodyBytes = 0

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
  }

  leave(lane: Lane): void {
    this.#underWay[lane]--
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
