/**
 * A recorded history of operations on versioned registers, and the check that it is linearizable.
 *
 * Because every write returns the revision it got, the order of writes is known and the general search is not needed: a
 * history is linearizable exactly when each operation can be placed between its call and its return such that the
 * revisions it shows agree with that order.
 */
export interface Operation {
  readonly register: string
  /** A conflict is a write that was refused because the register had changed. */
  readonly type: 'read' | 'write' | 'conflict'
  readonly called: number
  readonly returned: number
  /** The revision read, or the one the write got; of a conflict, the one it was conditional on. */
  readonly revision: number
  /** The value read or written; of a conflict, that of its revision. */
  readonly value: number
  /** For a write and a conflict: the revision it was conditional on. */
  readonly expected?: number
}

/** The first violation in words, or undefined when there is none. */
export function findViolation(history: readonly Operation[]): string | undefined {
  for (const operations of Map.groupBy(history, (o) => o.register).values()) {
    const violation = checkRegister(operations)
    if (violation !== undefined) return violation
  }
  return undefined
}

function checkRegister(operations: readonly Operation[]): string | undefined {
  const writes = operations.filter((o) => o.type === 'write').toSorted((a, b) => a.revision - b.revision)
  const byRevision = new Map(writes.map((w) => [w.revision, w]))
  if (byRevision.size !== writes.length) return `two writes of ${writes[0]?.register} share a revision`
  for (const [i, write] of writes.entries()) {
    const previous = writes[i - 1]
    if (previous !== undefined && write.expected !== previous.revision)
      return `lost update: ${text(write)} is conditional on ${write.expected}, but ${text(previous)} came before it`
  }
  const byExpected = new Map(writes.map((w) => [w.expected, w]))
  for (const conflict of operations.filter((o) => o.type === 'conflict')) {
    const winner = byExpected.get(conflict.expected)
    if (winner === undefined || winner.called > conflict.returned)
      return `${text(conflict)} was refused, but nobody had changed the register`
  }
  for (const read of operations.filter((o) => o.type === 'read')) {
    const write = byRevision.get(read.revision)
    if (write === undefined) return `${text(read)} shows a revision nobody wrote`
    if (write.value !== read.value) return `${text(read)} shows the revision of ${text(write)} with another value`
    if (write.called > read.returned) return `${text(read)} shows ${text(write)} before it was called`
  }
  return checkRealTime(operations.filter((o) => o.type !== 'conflict'))
}

/** No operation may show an older revision than one that had already been shown before it was called. */
function checkRealTime(operations: readonly Operation[]): string | undefined {
  const calls = operations.toSorted((a, b) => a.called - b.called)
  const returns = operations.toSorted((a, b) => a.returned - b.returned)
  let newest: Operation | undefined
  let next = 0
  for (const operation of calls) {
    for (let r = returns[next]; r !== undefined && r.returned < operation.called; r = returns[++next])
      if (newest === undefined || r.revision > newest.revision) newest = r
    if (newest === undefined) continue
    const stale =
      operation.type === 'read' ? operation.revision < newest.revision : operation.revision <= newest.revision
    if (stale) return `${text(operation)} was called after ${text(newest)} had returned, yet shows an older state`
  }
  return undefined
}

const text = (o: Operation): string => `${o.type} of ${o.register} at revision ${o.revision}`
