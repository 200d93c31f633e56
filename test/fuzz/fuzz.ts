import { setImmediate as breathe } from 'node:timers/promises'
import { type Case, requestBytes, type World } from './case.ts'
import { caseOf } from './families.ts'
import { faultIn } from './judge.ts'
import { furnish, look } from './setup.ts'
import { type Address, type Outcome, Wire } from './wire.ts'

export interface FuzzOptions extends Pick<World, 'kinds' | 'token'> {
  readonly address: Address
  readonly seed: number
  readonly cases: number
  /** Called now and then with how many cases are done. */
  readonly progress?: (done: number) => void
}

export interface Fault {
  readonly index: number
  readonly text: string
}

export interface FuzzReport {
  readonly cases: number
  readonly faults: readonly Fault[]
  /** Kinds for which no object to attack could be made, and why. */
  readonly missing: readonly string[]
  /** How often each status was answered; 0: the connection was closed. */
  readonly statuses: ReadonlyMap<number, number>
  readonly milliseconds: { readonly p50: number; readonly p99: number; readonly max: number; readonly slowest: string }
}

const CONNECTIONS = 8
const REFURNISH_EVERY = 500
/** Of what is accepted some stays, so that there is something to look at afterwards, and never much. */
const LARGEST_KEPT = 4096

/** Sends the cases of a seed to a server and judges every answer. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { address, cases, kinds, token } = options
  const first = new Wire(address)
  const empty: World = { kinds, token, host: `${address.host}:${address.port}`, tokens: [], revision: 1 }
  const missing = await furnish(first, empty)
  const run = new Run(options, await look(first, empty))
  first.close()
  await Promise.all(Array.from({ length: CONNECTIONS }, () => run.work()))
  return { cases, missing, ...run.result() }
}

class Run {
  readonly #options: FuzzOptions
  readonly #world: World
  readonly #faults: Fault[] = []
  readonly #statuses = new Map<number, number>()
  readonly #times: number[] = []
  #slowest = { ms: 0, text: '' }
  #next = 0

  constructor(options: FuzzOptions, world: World) {
    this.#options = options
    this.#world = world
  }

  async work(): Promise<void> {
    const wire = new Wire(this.#options.address)
    for (let index = this.#next++; index < this.#options.cases; index = this.#next++) {
      if (index % REFURNISH_EVERY === REFURNISH_EVERY - 1) await furnish(wire, this.#world)
      if (index % 1000 === 999) this.#options.progress?.(index + 1)
      await this.#try(wire, index)
    }
    wire.close()
    await breathe()
  }

  async #try(wire: Wire, index: number): Promise<void> {
    const tried = caseOf(this.#options.seed, index, this.#world)
    const outcome = await wire.send(requestBytes(tried, this.#world), tried.method, tried.raw !== undefined)
    const name = `case ${index} (${tried.family}: ${tried.what}) ${tried.method} ${tried.path.slice(0, 150)}`
    const status = outcome.reply?.status ?? 0
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
    if (tried.raw === undefined) this.#time(outcome.ms, name)
    const fault = faultIn(tried, outcome)
    if (fault !== undefined) this.#faults.push({ index, text: `${name}: ${fault}` })
    await this.#tidy(wire, tried, outcome)
  }

  #time(ms: number, text: string): void {
    this.#times.push(ms)
    if (ms > this.#slowest.ms) this.#slowest = { ms, text }
  }

  /** Removes what a case created, unless it is small and may stay. */
  async #tidy(wire: Wire, tried: Case, { reply }: Outcome): Promise<void> {
    if (reply?.status !== 201 || tried.method !== 'POST') return
    if (reply.body.length < LARGEST_KEPT && this.#times.length % 4 === 0) return
    const name = /"name":"([^"\\]+)"/.exec(reply.body.toString())?.[1]
    if (name === undefined || tried.path.includes('credentials')) return
    const path = `${tried.path.split('?')[0]}/${encodeURIComponent(name)}`
    await wire.send(requestBytes({ what: 'tidy up', method: 'DELETE', path }, this.#world), 'DELETE')
  }

  result(): Pick<FuzzReport, 'faults' | 'statuses' | 'milliseconds'> {
    const times = this.#times.toSorted((a, b) => a - b)
    const at = (share: number): number => Math.round((times[Math.floor(times.length * share)] ?? 0) * 10) / 10
    const milliseconds = { p50: at(0.5), p99: at(0.99), max: Math.round(this.#slowest.ms), slowest: this.#slowest.text }
    return { faults: this.#faults, statuses: this.#statuses, milliseconds }
  }
}
