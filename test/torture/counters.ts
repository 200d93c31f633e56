import { Connection, type Target } from '#test/support/connection.ts'
import { shown } from './script.ts'

/**
 * Objects that count: each write raises an object's counter by one and says so in two places, so that a lost, repeated,
 * reordered or torn write is visible to anyone who reads or watches.
 */
export const BASE = '/apis/event.cp.ei.vendor.de/v1/namespaces/torture/eventtypes'

export interface Counter {
  readonly name: string
  readonly count: number
  readonly revision: number
}

export const parse = (bytes: Buffer | string): any => JSON.parse(bytes.toString())

/** `size` is that of its ballast. */
export function counterObject(name: string, count: number, revision?: number, size = 400): string {
  return JSON.stringify({
    apiVersion: 'event.cp.ei.vendor.de/v1',
    kind: 'EventType',
    metadata: {
      name,
      namespace: 'torture',
      labels: { count: `n${count}`, writer: name, shown: shown(count) ? 'yes' : 'no' },
      ...(revision !== undefined && { resourceVersion: String(revision) }),
    },
    spec: { type: 'torture.v1', version: `1.${count}`, description: 'x'.repeat(size) },
  })
}

/** The counter in an object; throws when its two places differ, which would be a torn write. */
export function counterOf(object: any): Counter {
  const count = Number(object.spec.version.slice(2))
  if (object.metadata.labels.count !== `n${count}`) throw new Error(`torn object ${JSON.stringify(object)}`)
  return { name: object.metadata.name, count, revision: Number(object.metadata.resourceVersion) }
}

export async function connect(target: Target): Promise<Connection> {
  const connection = new Connection(target)
  await connection.open()
  return connection
}

export async function listCounters(target: Target): Promise<{ counters: Map<string, Counter>; revision: number }> {
  const connection = await connect(target)
  const answer = await connection.request('GET', BASE)
  connection.close()
  if (answer.status !== 200) throw new Error(`list answered ${answer.status}: ${answer.body.toString()}`)
  const list = parse(answer.body)
  const counters = new Map<string, Counter>(list.items.map((item: any) => [item.metadata.name, counterOf(item)]))
  return { counters, revision: Number(list.metadata.resourceVersion) }
}

/** A writer that owns one counter and raises it until told to stop or until the server goes away. */
export class Writer {
  readonly name: string
  readonly #size: number
  /** What the server acknowledged last. */
  acknowledged: Counter | undefined
  /** A write was sent whose answer never came: it may or may not have happened. */
  unknown = false

  constructor(name: string, size = 400) {
    this.name = name
    this.#size = size
  }

  /** Returns normally when the connection breaks; any other refusal is an error. */
  async run(target: Target, stop: () => boolean): Promise<void> {
    const connection = await connect(target).catch(() => undefined)
    if (connection === undefined) return
    while (!stop()) {
      const next = (this.acknowledged?.count ?? 0) + 1
      const answer = await this.#write(connection, next).catch(() => undefined)
      if (answer === undefined) {
        this.unknown = true
        return
      }
      if (answer.status >= 300) throw new Error(`${this.name}: HTTP ${answer.status}: ${answer.body.toString()}`)
      this.acknowledged = counterOf(parse(answer.body))
    }
    connection.close()
  }

  /** After a crash: takes over what the server has, which must be the acknowledged count or the one in flight. */
  recover(stored: Counter | undefined): void {
    const known = this.acknowledged?.count ?? 0
    const count = stored?.count ?? 0
    const possible = this.unknown ? [known, known + 1] : [known]
    if (!possible.includes(count)) throw new Error(`${this.name}: acknowledged ${known}, found ${count}`)
    if (stored !== undefined && this.acknowledged !== undefined && stored.revision < this.acknowledged.revision)
      throw new Error(`${this.name}: revision went back from ${this.acknowledged.revision} to ${stored.revision}`)
    this.acknowledged = stored
    this.unknown = false
  }

  #write(connection: Connection, next: number): ReturnType<Connection['request']> {
    const body = (revision: number | undefined): string => counterObject(this.name, next, revision, this.#size)
    if (this.acknowledged === undefined) return connection.request('POST', BASE, body(undefined))
    return connection.request('PUT', `${BASE}/${this.name}`, body(this.acknowledged.revision))
  }
}
