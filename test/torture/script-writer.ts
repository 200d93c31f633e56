import type { Connection, Target } from '#test/support/connection.ts'
import { BASE, connect, counterObject, counterOf, parse } from './counters.ts'
import { exists } from './script.ts'

/** A small object: what counts here is how many events there are. */
const BALLAST = 60

/** Plays the script with an object of its own. */
export class ScriptWriter {
  readonly name: string
  count = 0
  #revision = 0

  constructor(name: string) {
    this.name = name
  }

  async run(target: Target, stop: () => boolean): Promise<void> {
    const connection = await connect(target)
    while (!stop()) await this.#step(connection)
    connection.close()
  }

  async #step(connection: Connection): Promise<void> {
    const next = this.count + 1
    const answer = await this.#send(connection, next)
    if (answer.status >= 300) throw new Error(`${this.name}: HTTP ${answer.status}: ${answer.body.toString()}`)
    if (exists(next)) this.#revision = counterOf(parse(answer.body)).revision
    this.count = next
  }

  #send(connection: Connection, next: number): ReturnType<Connection['request']> {
    const path = `${BASE}/${this.name}`
    if (!exists(next)) return connection.request('DELETE', path)
    if (!exists(this.count)) return connection.request('POST', BASE, counterObject(this.name, next, undefined, BALLAST))
    return connection.request('PUT', path, counterObject(this.name, next, this.#revision, BALLAST))
  }
}
