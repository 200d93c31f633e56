import type { ServerResponse } from 'node:http'
import type { Clock } from '#lib/clock.ts'
import type { WatchEvent, WatchSink } from '#registry/registry.ts'

/** One line of the stream, or what one can be made of when its turn comes. */
type Pending = WatchEvent | Uint8Array

export interface WatchStreamOptions {
  readonly response: ServerResponse
  readonly clock: Clock
  /** undefined: events go out as the registry encoded them, shared by all watchers. */
  readonly encode?: ((event: WatchEvent) => Uint8Array) | undefined
  /** The bookmark of a revision; `initial` after the objects that were there at the start. */
  readonly bookmark: (revision: number, initial: boolean) => Uint8Array
  readonly failure: (message: string) => Uint8Array
  /** Bytes of live events that may wait for a caller that does not read; beyond that the watch ends. */
  readonly backlog?: number | undefined
}

const HEADERS = [
  'content-type',
  'application/json',
  'cache-control',
  'no-cache, private',
  'transfer-encoding',
  'chunked',
]
const BACKLOG = 2 * 1024 * 1024
const BATCH = 256 * 1024
/** A caller that has read nothing for so long is gone, even if its connection is not. */
const STALLED_MS = 60_000

/**
 * Writes a watch as JSON lines. Events of one turn go out as one write. A caller that reads too slowly is cut off: it
 * will resume from the last version it saw, and nobody else has waited for it.
 */
export class WatchStream implements WatchSink {
  readonly #options: WatchStreamOptions
  readonly #backlog: number
  #queue: Pending[] = []
  #started = false
  #live = false
  #liveBytes = 0
  #scheduled = false
  #blocked = false
  #ended = false
  #stall: (() => void) | undefined
  /** Called once when the stream is over, however that came about. */
  onEnd: (() => void) | undefined

  constructor(options: WatchStreamOptions) {
    this.#options = options
    this.#backlog = options.backlog ?? BACKLOG
    options.response.on('close', () => this.#finish())
    options.response.on('drain', () => this.#drained())
  }

  get ended(): boolean {
    return this.#ended
  }

  /** Sends the head of the answer: from here on only events can follow. */
  start(): void {
    if (this.#started || this.#ended) return
    this.#started = true
    this.#options.response.writeHead(200, HEADERS)
    this.#options.response.flushHeaders()
  }

  event(event: WatchEvent): void {
    if (this.#ended) return
    if (this.#live) this.#liveBytes += event.stored.bytes.length
    if (this.#liveBytes > this.#backlog) return this.cut()
    this.#push(event)
  }

  caughtUp(): void {
    this.#live = true
  }

  expired(message: string): void {
    this.end(this.#options.failure(message))
  }

  /** After everything already queued and never before the start is complete: a bookmark must not run ahead of events. */
  bookmark(revision: number, initial = false): void {
    if (this.#live && !this.#ended) this.#push(this.#options.bookmark(revision, initial))
  }

  /** The proper end of a watch: what is queued goes out, then perhaps a last line. */
  end(last?: Uint8Array): void {
    if (this.#ended) return
    if (last !== undefined) this.#queue.push(last)
    if (this.#blocked) return this.cut()
    this.start()
    this.#flush(true)
    this.#options.response.end()
    this.#finish()
  }

  /** Ends the watch at once, whatever was queued. */
  cut(): void {
    this.#options.response.destroy()
    this.#finish()
  }

  #push(item: Pending): void {
    this.#queue.push(item)
    if (this.#scheduled || this.#blocked) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.start()
      this.#flush()
    })
  }

  #flush(all = false): void {
    const { response } = this.#options
    while (this.#queue.length > 0 && !this.#ended && (all || !this.#blocked)) {
      const batch = this.#nextBatch()
      if (!response.write(batch) && response.writableLength > 0) this.#block()
    }
    if (this.#queue.length === 0 && !this.#blocked) this.#liveBytes = 0
  }

  #nextBatch(): Uint8Array {
    const whole = sharedBatch(this.#queue, this.#options.encode)
    if (whole !== undefined) {
      this.#queue = []
      return whole
    }
    const lines: Uint8Array[] = []
    let bytes = 0
    let count = 0
    while (count < this.#queue.length && bytes < BATCH) {
      const line = this.#encode(this.#queue[count++] as Pending)
      bytes += line.length
      lines.push(line)
    }
    this.#queue = this.#queue.slice(count)
    return Buffer.concat(lines, bytes)
  }

  #encode(item: Pending): Uint8Array {
    if (item instanceof Uint8Array) return item
    return this.#options.encode === undefined ? item.line : this.#options.encode(item)
  }

  #block(): void {
    if (this.#blocked) return
    this.#blocked = true
    const { clock } = this.#options
    this.#stall = clock.setTimer(clock.now() + STALLED_MS, () => this.cut())
  }

  #drained(): void {
    this.#blocked = false
    this.#stall?.()
    this.#stall = undefined
    this.#flush()
  }

  #finish(): void {
    if (this.#ended) return
    this.#ended = true
    this.#queue = []
    this.#stall?.()
    this.onEnd?.()
  }
}

let lastBatch: { readonly items: readonly Pending[]; readonly bytes: Uint8Array } | undefined

/**
 * Many watchers have the same few events to send in the same turn: the joined bytes are made once for all of them.
 * Undefined when the queue is long or holds something of this watcher alone.
 */
function sharedBatch(queue: readonly Pending[], encode: WatchStreamOptions['encode']): Uint8Array | undefined {
  const [first] = queue
  if (encode !== undefined || queue.length > 64 || first === undefined) return undefined
  if (queue.length === 1) return first instanceof Uint8Array ? first : first.line
  if (lastBatch !== undefined && sameItems(lastBatch.items, queue)) return lastBatch.bytes
  const bytes = Buffer.concat(queue.map((item) => (item instanceof Uint8Array ? item : item.line)))
  lastBatch = { items: queue, bytes }
  return bytes
}

function sameItems(a: readonly Pending[], b: readonly Pending[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i])
}
