import { Connection, type Target } from '#test/support/connection.ts'
import { BASE, counterOf, type Counter, parse } from './counters.ts'

/**
 * A watcher that reconnects from the last revision it saw and checks, as events arrive, that each counter goes up by
 * one with no gap and no repetition, in revision order. It never lists again: a 410 is a failure.
 */
export class CountingWatcher {
  readonly counts = new Map<string, number>()
  revision: number
  /** The one writer it selects, or all of them. */
  readonly only: string | undefined
  events = 0
  #connection: Connection | undefined
  #chunks: Buffer[] = []
  #notify: () => void = () => undefined
  #failure: Error | undefined

  constructor(revision: number, only?: string) {
    this.revision = revision
    this.only = only
  }

  async connect(target: Target): Promise<void> {
    this.#connection?.close()
    this.#chunks = []
    const connection = new Connection(target)
    this.#connection = connection
    await connection.open()
    const selector = this.only === undefined ? '' : `&labelSelector=writer%3D${this.only}`
    const path = `${BASE}?watch=true&allowWatchBookmarks=true&resourceVersion=${this.revision}${selector}`
    const answer = await connection.stream(path, (chunk) => this.#connection === connection && this.#data(chunk))
    if (answer.status !== 200)
      throw new Error(`watch from ${this.revision} answered ${answer.status}: ${answer.body.toString()}`)
  }

  close(): void {
    this.#connection?.close()
    this.#connection = undefined
  }

  /** Resolves when everything up to `revision` that concerns these counters has arrived. */
  caughtUp(target: ReadonlyMap<string, Counter>): Promise<void> {
    const awaited = [...target.values()].filter(({ name }) => this.only === undefined || this.only === name)
    return new Promise((resolve, reject) => {
      this.#notify = () => {
        if (this.#failure !== undefined) reject(this.#failure)
        else if (awaited.every((c) => (this.counts.get(c.name) ?? 0) >= c.count)) resolve()
      }
      this.#notify()
    })
  }

  #data(chunk: Buffer): void {
    this.#chunks.push(chunk)
    if (!chunk.includes(10)) return
    const lines = Buffer.concat(this.#chunks).toString().split('\n')
    this.#chunks = [Buffer.from(lines.pop() ?? '')]
    for (const line of lines) this.#line(line)
    this.#notify()
  }

  #line(line: string): void {
    try {
      const event = parse(line)
      if (event.type === 'ERROR') throw new Error(`watch ended with ${line}`)
      if (event.type === 'BOOKMARK') this.#advance(Number(event.object.metadata.resourceVersion), false)
      else this.#see(counterOf(event.object), event.type)
    } catch (error) {
      this.#failure ??= error as Error
    }
  }

  #see(counter: Counter, type: string): void {
    const before = this.counts.get(counter.name) ?? 0
    if (counter.count !== before + 1) throw new Error(`${counter.name}: saw ${counter.count} after ${before}`)
    if (type !== (before === 0 ? 'ADDED' : 'MODIFIED')) throw new Error(`${counter.name}: ${type} after ${before}`)
    this.#advance(counter.revision, true)
    this.counts.set(counter.name, counter.count)
    this.events++
  }

  #advance(revision: number, strictly: boolean): void {
    if (revision < this.revision || (strictly && revision === this.revision))
      throw new Error(`revision ${revision} after ${this.revision}`)
    this.revision = revision
  }
}
