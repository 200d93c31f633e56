import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { systemClock, type Clock } from '#lib/clock.ts'
import type { ResourceChange } from '#source/source.ts'
import type { ApiConnection } from './api-connection.ts'
import { ApiFailure } from './api-failure.ts'
import { Backoff } from './backoff.ts'
import { collectionPath, listAll } from './list-all.ts'

export interface InformerOptions {
  readonly connection: ApiConnection
  readonly kind: Kind
  readonly signal: AbortSignal
  readonly clock?: Clock | undefined
  /** All there is: at the start, and whenever the history between was lost. */
  readonly replaced: (resources: readonly Resource[]) => void
  /** Every change after that, in order, each once. */
  readonly changed: (change: ResourceChange) => void
  /** Something went wrong; it will be tried again. */
  readonly troubled?: ((error: unknown) => void) | undefined
}

interface WatchLine {
  readonly type: ResourceChange['type'] | 'BOOKMARK' | 'ERROR'
  readonly object: Resource & { readonly code?: number }
}

/** A watch lasts from five to ten minutes, so that many informers do not come back at once. */
const SHORTEST_SECONDS = 300
/** A server that has not ended the watch by then is gone, whatever the connection looks like. */
const GRACE_MS = 30_000
/** A watch that ends sooner without a word is trouble, not routine. */
const TOO_SHORT_MS = 1000

/**
 * Keeps someone informed about all resources of a kind, by the rules of client-go: list, watch from the version of the
 * list, resume from the last version seen (bookmarks keep it fresh), and list again only when the server has forgotten
 * it. Settles when `signal` aborts.
 */
export async function inform(options: InformerOptions): Promise<void> {
  const { connection, kind, signal, clock = systemClock } = options
  const backoff = new Backoff(clock, signal)
  let wanted = '0'
  while (!signal.aborted) {
    try {
      const { resources, version } = await listAll(connection, kind, wanted, signal)
      options.replaced(resources)
      wanted = await new Watching({ ...options, clock }, backoff, version).untilLost()
    } catch (error) {
      if (signal.aborted) return
      options.troubled?.(error)
      if (error instanceof ApiFailure && (error.expired || error.tooLarge)) wanted = ''
      await backoff.pause()
    }
  }
}

class Watching {
  readonly #options: InformerOptions & { readonly clock: Clock }
  readonly #backoff: Backoff
  #version: string

  constructor(options: InformerOptions & { readonly clock: Clock }, backoff: Backoff, version: string) {
    this.#options = options
    this.#backoff = backoff
    this.#version = version
  }

  /** @returns the version to list from: the last one seen, or '' when the server no longer has it */
  async untilLost(): Promise<string> {
    const { signal, clock } = this.#options
    while (!signal.aborted) {
      const began = clock.now()
      const seen = this.#version
      try {
        await this.#once()
      } catch (error) {
        if (signal.aborted) break
        this.#options.troubled?.(error)
        if (error instanceof ApiFailure && (error.expired || error.tooLarge)) return ''
        await this.#backoff.pause()
        if (error instanceof ApiFailure && !isPassing(error)) break
        continue
      }
      if (this.#version === seen && clock.now() - began < TOO_SHORT_MS) await this.#backoff.pause()
    }
    return this.#version
  }

  async #once(): Promise<void> {
    const { connection, kind, clock, signal } = this.#options
    const seconds = Math.round(SHORTEST_SECONDS * (1 + Math.random()))
    const query = new URLSearchParams({
      watch: 'true',
      resourceVersion: this.#version,
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(seconds),
    })
    const overdue = new AbortController()
    const cancel = clock.setTimer(clock.now() + seconds * 1000 + GRACE_MS, () => overdue.abort())
    try {
      const lines = connection.lines(
        `${collectionPath(kind)}?${query.toString()}`,
        AbortSignal.any([signal, overdue.signal]),
      )
      for await (const line of lines) this.#take(line as WatchLine)
    } finally {
      cancel()
    }
  }

  #take({ type, object }: WatchLine): void {
    if (type === 'ERROR') throw new ApiFailure(object.code ?? 500, object)
    this.#version = object.metadata.resourceVersion ?? this.#version
    if (type !== 'BOOKMARK') this.#options.changed({ type, resource: object })
  }
}

/** Overload and restarts pass; a refusal will not, and perhaps a list tells more. */
const isPassing = ({ code }: ApiFailure): boolean => code === 429 || code >= 500
