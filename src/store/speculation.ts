import type { PlannedChange, PlannedWrite } from './journal.ts'
import type { OrderedKeys } from './ordered-keys.ts'
import type { Entry, Expectation, Op, Outcome, Revision } from './store.ts'
import { viewOf } from './value-slabs.ts'
import type { ValueSlabs, Version } from './value-slabs.ts'

/** What one row, and one position within a transaction, can hold on disk. */
const MOST_BYTES = 256 << 20
const MOST_OPS = 1 << 20

/** A call of `transact` that has not been answered. `order` is its place among all calls. */
export interface Request {
  readonly ops: readonly Op[]
  readonly order: number
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/** A request and what was decided: a write has changes; a refusal (or a transaction without effect) has none. */
export interface Decided {
  readonly request: Request
  readonly write: PlannedWrite | undefined
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
  readonly write: PlannedWrite | undefined
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

  /** Decides without changing anything; {@link add} makes an accepted write part of the state. */
  decide(ops: readonly Op[], revision: Revision, newest: Batch): Decision {
    refuseMalformed(ops)
    let rests: Batch | undefined
    const before: (Version | undefined)[] = []
    for (const [index, op] of ops.entries()) {
      const pending = this.#pending.get(op.key)
      if (pending && rests !== newest) rests = pending.batch
      const version = pending ? pending.change.version : this.#current.get(op.key)
      if (!matches(op.expect, version)) {
        const outcome: Outcome = { ok: false, failed: index, current: version && this.entry(version) }
        return { write: undefined, outcome, rests }
      }
      before.push(version)
    }
    const changes = this.#plan(ops, before, revision)
    if (changes.length === 0) return { write: undefined, outcome: undefined, rests }
    return { write: { revision, changes }, outcome: { ok: true, revision }, rests }
  }

  add(write: PlannedWrite, batch: Batch): void {
    for (const change of write.changes) this.#pending.set(change.key, { change, batch })
  }

  /** The change is durable, so it is no longer speculative. */
  settle(change: PlannedChange): void {
    if (this.#pending.get(change.key)?.change === change) this.#pending.delete(change.key)
  }

  /** Back to the durable state; the bytes of the given batches are given up. */
  rollBack(batches: readonly Batch[]): void {
    this.#pending.clear()
    for (const { items } of batches) {
      for (const { write } of items) {
        for (const { version } of write?.changes ?? []) if (version) this.#slabs.release(version)
      }
    }
  }

  entry(version: Version): Entry {
    return { key: version.key, value: viewOf(version), revision: version.revision }
  }

  #plan(ops: readonly Op[], before: readonly (Version | undefined)[], revision: Revision): PlannedChange[] {
    // All values are encoded before any is stored: encode is foreign code and may throw.
    const values = ops.map((op) => (op.type === 'put' ? encoded(op, revision) : undefined))
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

function encoded({ key, encode }: Extract<Op, { type: 'put' }>, revision: Revision): Uint8Array {
  const value = encode(revision)
  if (value.length > MOST_BYTES) throw new RangeError(`the value of ${key} has more than ${MOST_BYTES} bytes`)
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
    throw new TypeError('a transaction may name a key only once')
  }
}

/** A key cut out of a longer string would keep all of that string alive. */
function ownCopy(key: string): string {
  return Buffer.from(key).toString()
}
