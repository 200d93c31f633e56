import { Connection, type Target } from '#test/support/connection.ts'
import { BASE, type Counter, counterOf, parse } from './counters.ts'
import { exists, nextEvent, shown } from './script.ts'

interface Seen {
  readonly type: string
  readonly counter: Counter
}

/** The same bytes go to many watchers: they are read once. */
const known = new Map<string, Seen>()
const MOST_KNOWN = 20_000

/**
 * A watcher that reconnects from the last revision it saw and checks each event as it arrives: it has to be the next one of the
 * script of its object, of the right type, and newer than all before. It never lists again: a 410 is a failure.
 */
export class ScriptWatcher {
  events = 0
  readonly #positions = new Map<string, number>()
  readonly #selector: string
  readonly #sees: (name: string) => (count: number) => boolean
  #revision: number
  #connection: Connection | undefined
  #rest = ''
  #failure: Error | undefined
  #notify: () => void = () => undefined

  /** `only`: of this writer, and only what the selector shows. */
  constructor(revision: number, only?: string) {
    this.#revision = revision
    this.#selector = only === undefined ? '' : `&labelSelector=writer%3D${only},shown%3Dyes`
    const never = (): boolean => false
    this.#sees = (name) => (only === undefined ? exists : name === only ? shown : never)
  }

  async connect(target: Target): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    this.#connection?.close()
    this.#rest = ''
    const connection = new Connection(target)
    this.#connection = connection
    await connection.open()
    const path = `${BASE}?watch=true&allowWatchBookmarks=true&resourceVersion=${this.#revision}${this.#selector}`
    const answer = await connection.stream(path, (chunk) => this.#connection === connection && this.#data(chunk))
    if (answer.status !== 200)
      throw new Error(`watch from ${this.#revision} answered ${answer.status}: ${answer.body.toString()}`)
  }

  close(): void {
    this.#connection?.close()
    this.#connection = undefined
  }

  /** Resolves when everything has arrived that happened up to these counts. */
  caughtUp(counts: ReadonlyMap<string, number>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#notify = () => {
        if (this.#failure !== undefined) reject(this.#failure)
        else if ([...counts].every(([name, count]) => !this.#awaits(name, count))) resolve()
      }
      this.#notify()
    })
  }

  #awaits(name: string, count: number): boolean {
    const sees = this.#sees(name)
    for (let at = (this.#positions.get(name) ?? 0) + 1; at <= count; at++) if (sees(at - 1) || sees(at)) return true
    return false
  }

  #data(chunk: Buffer): void {
    const lines = (this.#rest + chunk.toString('latin1')).split('\n')
    this.#rest = lines.pop() ?? ''
    try {
      for (const line of lines) this.#see(read(line))
    } catch (error) {
      this.#failure ??= error as Error
    }
    this.#notify()
  }

  #see({ type, counter }: Seen): void {
    if (type === 'BOOKMARK') return this.#advance(counter.revision, false)
    const { name, count } = counter
    const position = this.#positions.get(name) ?? 0
    const expected = nextEvent(position, this.#sees(name))
    if (type !== expected.type || count !== expected.shows)
      throw new Error(`${name}: ${type} ${count} after ${position}, not ${expected.type} ${expected.shows}`)
    this.#advance(counter.revision, true)
    this.#positions.set(name, expected.at)
    this.events++
  }

  #advance(revision: number, strictly: boolean): void {
    if (revision < this.#revision || (strictly && revision === this.#revision))
      throw new Error(`revision ${revision} after ${this.#revision}`)
    this.#revision = revision
  }
}

function read(line: string): Seen {
  const found = known.get(line)
  if (found !== undefined) return found
  const { type, object } = parse(line)
  if (type === 'ERROR') throw new Error(`watch ended with ${line}`)
  const revision = Number(object.metadata.resourceVersion)
  const seen = { type, counter: type === 'BOOKMARK' ? { name: '', count: 0, revision } : counterOf(object) }
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(line, seen)
  return seen
}
