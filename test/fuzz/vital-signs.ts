import { readFileSync } from 'node:fs'
import { requestBytes, type World } from './case.ts'
import { type Address, Wire } from './wire.ts'

/** How much memory the server took, from its own metrics, and who else was there. */
export interface VitalSigns {
  /** Cores that neither it nor we kept busy, but others: times beside them are not times alone. */
  readonly othersCores: number
  readonly megabytesBefore: number
  readonly megabytesMost: number
}

const EVERY_MS = 1000

interface Clocks {
  readonly at: number
  /** Milliseconds of CPU of everything but the server and us. */
  readonly others: number
}

function clocks(pid: number): Clocks {
  const [user, nice, system, , , irq, softIrq] = readFileSync('/proc/stat', 'utf8').match(/\d+/g)!.map(Number)
  const [, ...server] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  const own = process.cpuUsage()
  const ours = (Number(server[10]) + Number(server[11])) * 10 + (own.user + own.system) / 1000
  return { at: performance.now(), others: (user! + nice! + system! + irq! + softIrq!) * 10 - ours }
}

/** Reads the metrics again and again, as whoever looks after a server does. */
export class Pulse {
  readonly #wire: Wire
  readonly #world: World
  readonly #timer: NodeJS.Timeout
  #reading: Promise<void> = Promise.resolve()
  #before = 0
  #most = 0

  readonly #since: Clocks
  readonly #pid: number

  constructor({ address, pid }: { readonly address: Address; readonly pid: number }, world: World) {
    this.#pid = pid
    this.#since = clocks(pid)
    this.#wire = new Wire(address)
    this.#world = world
    this.#timer = setInterval(() => {
      // A server that cannot be reached is noticed by whoever attacks it.
      this.#reading = this.#reading.then(() => this.#read()).catch(() => undefined)
    }, EVERY_MS)
  }

  /** The first reading. */
  async begin(): Promise<void> {
    await this.#read()
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
    const now = clocks(this.#pid)
    const othersCores = (now.others - this.#since.others) / (now.at - this.#since.at)
    return { othersCores, megabytesBefore: this.#before, megabytesMost: this.#most }
  }

  async #read(): Promise<void> {
    const { reply } = await this.#wire.send(
      requestBytes({ what: 'metrics', method: 'GET', path: '/metrics' }, this.#world),
      'GET',
    )
    const text = reply?.body.toString() ?? ''
    const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
    this.#most = Math.max(this.#most, Math.round(value('process_resident_memory_bytes') / 2 ** 20))
  }
}
