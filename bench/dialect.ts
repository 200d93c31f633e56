import type { Measured } from './child.ts'
import type { Operation } from './drive.ts'
import type { Connection } from '#test/support/connection.ts'

/** How a watch is opened, and what each event in its bytes begins with. */
export interface WatchCall {
  readonly path: string
  /** Posted when the protocol opens a watch with a message. */
  readonly body?: string | undefined
  readonly marker: string
}

/** The same work in the words of one kind of server. `i` numbers the object. */
export interface Dialect {
  readonly create: Operation
  readonly get: Operation
  /** Compare-and-set of every object; whatever has to be read and encoded for it is done before it is measured. */
  prepareUpdates(connection: Connection, count: number): Promise<Operation>
  /** A change of a few bytes; `round` makes each one different from the last. */
  patch(round: number): Operation
  readonly list: Operation
  readonly listPaged: Operation
  /** undefined where the server has nothing like it. */
  readonly listNothing: Operation | undefined
  /** From now on. */
  watch(connection: Connection): Promise<WatchCall>
  readonly remove: Operation
}

/** One of the servers that take turns. */
export interface Subject {
  readonly name: 'stellwerk' | 'etcd' | 'peer'
  readonly server: Measured
  readonly dialect: Dialect
  readonly connections: readonly Connection[]
}

export const PAGE = 500

/** The text between `before` and the next quote, searched from the end: what follows a list's items is short. */
export function textAfter(bytes: Buffer, before: string): string | undefined {
  const at = bytes.lastIndexOf(before)
  if (at < 0) return undefined
  const start = at + before.length
  return bytes.toString('latin1', start, bytes.indexOf('"', start))
}

/** Requests page after page until `next` finds no address of another one. */
export async function allPages(
  connection: Connection,
  first: Parameters<Connection['request']>,
  next: (body: Buffer) => Parameters<Connection['request']> | undefined,
): ReturnType<Connection['request']> {
  let call: Parameters<Connection['request']> | undefined = first
  for (;;) {
    const answer = await connection.request(...call)
    if (answer.status !== 200) return answer
    call = next(answer.body)
    if (call === undefined) return answer
  }
}
