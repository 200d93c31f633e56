import { Connection, type Target } from '#test/support/connection.ts'

/** Watches the EventSubscriptions of a namespace and notes when each of them first said Ready=True. */
export class ReadyWatch {
  readonly #connection: Connection
  readonly #waiting = new Map<string, (at: number) => void>()
  #rest = ''

  private constructor(connection: Connection) {
    this.#connection = connection
  }

  static async open(target: Target, namespace: string): Promise<ReadyWatch> {
    const connection = new Connection(target)
    await connection.open()
    const watch = new ReadyWatch(connection)
    const path = `/apis/event.cp.ei.vendor.de/v1/namespaces/${namespace}/eventsubscriptions`
    const list = JSON.parse((await connection.request('GET', `${path}?limit=1`)).body.toString())
    await connection.stream(`${path}?watch=1&resourceVersion=${list.metadata.resourceVersion}`, (chunk) =>
      watch.#take(chunk.toString()),
    )
    return watch
  }

  /** When it is Ready, on the clock of this process. */
  ready(name: string): Promise<number> {
    return new Promise((resolve) => this.#waiting.set(name, resolve))
  }

  close(): void {
    this.#connection.close()
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.includes('"True"')) continue
      const { object } = JSON.parse(line)
      const conditions: any[] = object.status?.conditions ?? []
      if (!conditions.some((c) => c.type === 'Ready' && c.status === 'True')) continue
      const { name } = object.metadata
      this.#waiting.get(name)?.(performance.now())
      this.#waiting.delete(name)
    }
  }
}
