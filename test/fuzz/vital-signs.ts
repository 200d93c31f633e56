import { requestBytes, type World } from './case.ts'
import { type Address, Wire } from './wire.ts'

/** How the server itself fared, from its own metrics. */
export interface VitalSigns {
  /** The longest its event loop kept anyone waiting. */
  readonly blockedMs: number
  readonly megabytesBefore: number
  readonly megabytesMost: number
}

const EVERY_MS = 1000

/** Reads the metrics again and again: the longest delay counts from one reading to the next. */
export class Pulse {
  readonly #wire: Wire
  readonly #world: World
  readonly #timer: NodeJS.Timeout
  #reading: Promise<void> = Promise.resolve()
  #blockedMs = 0
  #before = 0
  #most = 0

  constructor(address: Address, world: World) {
    this.#wire = new Wire(address)
    this.#world = world
    this.#timer = setInterval(() => {
      // A server that cannot be reached is noticed by whoever attacks it.
      this.#reading = this.#reading.then(() => this.#read()).catch(() => undefined)
    }, EVERY_MS)
  }

  /** The first reading, which only forgets what was before. */
  async begin(): Promise<void> {
    await this.#read()
    this.#blockedMs = 0
    this.#before = this.#most
  }

  /** For a test that fails half-way. */
  stop(): void {
    clearInterval(this.#timer)
    this.#wire.close()
  }

  async end(): Promise<VitalSigns> {
    clearInterval(this.#timer)
    await this.#reading
    await this.#read()
    this.#wire.close()
    return { blockedMs: this.#blockedMs, megabytesBefore: this.#before, megabytesMost: this.#most }
  }

  async #read(): Promise<void> {
    const { reply } = await this.#wire.send(
      requestBytes({ what: 'metrics', method: 'GET', path: '/metrics' }, this.#world),
      'GET',
    )
    const text = reply?.body.toString() ?? ''
    const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
    this.#blockedMs = Math.max(this.#blockedMs, Math.round(value('nodejs_eventloop_lag_max_seconds') * 1000))
    this.#most = Math.max(this.#most, Math.round(value('process_resident_memory_bytes') / 2 ** 20))
  }
}
