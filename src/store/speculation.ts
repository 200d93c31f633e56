import type { PlannedChange, PlannedWrite } from './journal.ts'
import type { OrderedKeys } from './ordered-keys.ts'
import type { Entry, Expectation, Op, Outcome, Revision } from './store.ts'
import { viewOf } from './value-slabs.ts'
import type { ValueSlabs, Version } from './value-slabs.ts'

/** What one row, and one position within a transaction, can hold on disk. */
const MOST_BYTES = 256 << 20
const MOST_OPS = 1 << 20

/** A call of `transact` or `transactAll` that has not been answered. `order` is its place among all calls. */
export interface Request {
  readonly transactions: readonly (readonly Op[])[]
  readonly order: number
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/** A request and what was decided: a refusal (or a transaction without effect) writes nothing. */
export interface Decided {
  readonly request: Request
  readonly writes: readonly PlannedWrite[]
  /** Undefined: the transaction changes nothing, and its revision is whatever is newest when it is answered. */
  readonly outcome: Outcome | undefined
}

/** What is made durable together, in order; refusals stand behind the writes they rest on. */
export interface Batch {
  readonly items: Decided[]
}

interface Pending {
  readonly change: PlannedChange
  readonly batch: Batch
}

export interface Decision {
  readonly writes: readonly PlannedWrite[]
  readonly outcome: Outcome | undefined
  /** The newest batch with a write that this decision has seen: the answer is not certain before that batch is durable. */
  readonly rests: Batch | undefined
}

/** The newest accepted state: the durable one with the writes on top that are not durable yet. */
export class Speculation {
  readonly #current: OrderedKeys<Version>
  readonly #slabs: ValueSlabs
  readonly #pending = new Map<string, Pending>()

  constructor(current: OrderedKeys<Version>, slabs: ValueSlabs) {
    this.#current = current
    this.#slabs = slabs
  }

  /** Decides without changing anything; {@link add} makes accepted writes part of the state. `issued`: the newest revision given away. */
  decide(transactions: readonly (readonly Op[])[], issued: Revision, newest: Batch): Decision {
    const ops = transactions.length === 1 ? transactions[0]! : transactions.flat()
    refuseMalformed(ops)
    let rests: Batch | undefined
    const before: (Version | undefined)[] = []
    for (const [index, op] of ops.entries()) {
      const pending = this.#pending.get(op.key)
      if (pending && rests !== newest) rests = pending.batch
      const version = pending ? pending.change.version : this.#current.get(op.key)
      if (!matches(op.expect, version)) {
        const outcome: Outcome = { ok: false, failed: index, current: version && this.entry(version) }
        return { writes: [], outcome, rests }
      }
      before.push(version)
    }
    const writes = this.#plan(transactions, before, issued)
    const last = writes.at(-1)
    return { writes, outcome: last && { ok: true, revision: last.revision }, rests }
  }

  add(writes: readonly PlannedWrite[], batch: Batch): void {
    for (const { changes } of writes) for (const change of changes) this.#pending.set(change.key, { change, batch })
  }

  /** The change is durable, so it is no longer speculative. */
  settle(change: PlannedChange): void {
    if (this.#pending.get(change.key)?.change === change) this.#pending.delete(change.key)
  }

  /** Back to the durable state; the bytes of the given batches are given up. */
  rollBack(batches: readonly Batch[]): void {
    this.#pending.clear()
    for (const { items } of batches) {
      for (const { changes } of items.flatMap((item) => item.writes)) {
        for (const { version } of changes) if (version) this.#slabs.release(version)
      }
    }
  }

  entry(version: Version): Entry {
    return { key: version.key, value: viewOf(version), revision: version.revision }
  }

  #plan(
    transactions: readonly (readonly Op[])[],
    before: readonly (Version | undefined)[],
    issued: Revision,
  ): PlannedWrite[] {
    const drafts: Draft[] = []
    let at = 0
    for (const ops of transactions) {
      const previous = before.slice(at, (at += ops.length))
      const revision = issued + drafts.length + 1
      // All values are encoded before any is stored: encode is foreign code and may throw.
      if (ops.some((op, i) => op.type === 'put' || previous[i]))
        drafts.push({ ops, previous, revision, values: ops.map((op) => encoded(op, revision)) })
    }
    return drafts.map((draft) => ({ revision: draft.revision, changes: this.#changes(draft) }))
  }

  #changes({ ops, previous: before, revision, values }: Draft): PlannedChange[] {
    const changes: PlannedChange[] = []
    for (const [index, op] of ops.entries()) {
      const previous = before[index]
      const value = values[index]
      if (!value && !previous) continue
      const key = previous?.key ?? ownCopy(op.key)
      const version = value && this.#slabs.add({ key, revision, index: changes.length }, value)
      changes.push({ key, version, previous })
    }
    return changes
  }
}

/** A transaction that changes something, before its values have a place. */
interface Draft {
  readonly ops: readonly Op[]
  readonly previous: readonly (Version | undefined)[]
  readonly revision: Revision
  readonly values: readonly (Uint8Array | undefined)[]
}

function encoded(op: Op, revision: Revision): Uint8Array | undefined {
  if (op.type !== 'put') return undefined
  const value = op.encode(revision)
  if (value.length > MOST_BYTES) throw new RangeError(`the value of ${op.key} has more than ${MOST_BYTES} bytes`)
  return value
}

function matches(expect: Expectation, version: Version | undefined): boolean {
  if (expect === 'any') return true
  if (expect === 'absent') return version === undefined
  return version?.revision === expect
}

/** These are mistakes of the caller, so they are errors and not outcomes. */
function refuseMalformed(ops: readonly Op[]): void {
  if (ops.length > MOST_OPS) throw new RangeError(`a transaction may have ${MOST_OPS} ops, not ${ops.length}`)
  for (const { key } of ops) {
    if (!key.isWellFormed()) throw new TypeError(`store key ${JSON.stringify(key)} contains half a surrogate pair`)
  }
  if (ops.length > 1 && new Set(ops.map((op) => op.key)).size !== ops.length) {
    throw new TypeError('transactions made together may name a key only once')
  }
}

/** A key cut out of a longer string would keep all of that string alive. */
function ownCopy(key: string): string {
  return Buffer.from(key).toString()
}
