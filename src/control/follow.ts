import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { Follower, ResourceChange, ResourceSource } from '#source/source.ts'
import { entityOf } from './entity.ts'

const MAX_PAUSE_MS = 30_000

interface Following {
  readonly source: ResourceSource
  readonly kinds: readonly Kind[]
  readonly follower: Follower
  readonly clock: Clock
  readonly log: Log
}

/** Follows until the signal aborts. When the source fails, it starts over with a new snapshot, after a growing pause. */
export async function followForever(following: Following, signal: AbortSignal): Promise<void> {
  const { source, kinds, follower, clock, log } = following
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await source.follow(kinds, follower, signal)
      if (!signal.aborted) await pause(clock, MAX_PAUSE_MS, signal)
    } catch (error) {
      log.error('following the resources failed', { error, failures: failures + 1 })
      await pause(clock, Math.min(MAX_PAUSE_MS, 1000 * 2 ** Math.min(failures, 10)), signal)
    }
  }
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = (): void => {
      cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.setTimer(clock.now() + ms, end)
    signal.addEventListener('abort', end, { once: true })
  })
}

/** `caught-up`: everything that was there when following began has been taken. */
export type News = ResourceChange | { readonly type: 'caught-up' }

/** What a snapshot says to someone who knew something else. */
export function newsOf(resources: readonly Resource[], known: Iterable<Resource>): readonly News[] {
  const present = new Set(resources.map(entityOf))
  const gone = [...known].filter((resource) => !present.has(entityOf(resource)))
  return [
    ...gone.map((resource): News => ({ type: 'DELETED', resource })),
    ...resources.map((resource): News => ({ type: 'ADDED', resource })),
    { type: 'caught-up' },
  ]
}

/** News in the order they came, taken one at a time so that ten thousand of them do not block a request. */
export class Inbox {
  #news: News[] = []
  #head = 0

  get size(): number {
    return this.#news.length - this.#head
  }

  push(news: readonly News[]): void {
    for (const one of news) this.#news.push(one)
  }

  take(): News | undefined {
    const one = this.#news[this.#head]
    if (one === undefined) return undefined
    this.#head++
    if (this.#head === this.#news.length) this.clear()
    return one
  }

  clear(): void {
    this.#news = []
    this.#head = 0
  }
}
