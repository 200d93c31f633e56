import { afterPrefix } from './ordered-keys.ts'
import type { OrderedKeys } from './ordered-keys.ts'
import type { LoggedTransaction } from './recent-changes.ts'
import type { Entry, ListOptions, Page, Revision } from './store.ts'
import type { Version } from './value-slabs.ts'

/** For every key changed since a revision: what it was at that revision (undefined: it did not exist). */
export type Undo = Map<string, Entry | undefined>

/** Notes how to undo a transaction; transactions come oldest first, so the first change of a key is the one that counts. */
export function noteUndo(undo: Undo, prefix: string, { changes }: LoggedTransaction): void {
  for (const { key, previous, previousRevision } of changes) {
    if (!key.startsWith(prefix) || undo.has(key)) continue
    undo.set(key, previous && { key, value: previous, revision: previousRevision })
  }
}

export interface PageSource {
  readonly current: OrderedKeys<Version>
  readonly entry: (version: Version) => Entry
  readonly undo: Undo
  readonly revision: Revision
}

/** One page of the current state with `undo` applied. Costs the page and the changes to undo, never the whole state. */
export function listPage(source: PageSource, prefix: string, { after, limit = Infinity }: ListOptions): Page {
  const inRange = (key: string) => after === undefined || key > after
  const undone = [...source.undo.keys()].filter(inRange).toSorted(byCodeUnit)
  const entries: Entry[] = []
  let more = false
  for (const entry of merge(source, undone, walk(source.current, prefix, after))) {
    if (entries.length >= limit) {
      more = true
      break
    }
    entries.push(entry)
  }
  const remaining = more ? countAfter(source, prefix, entries.at(-1)?.key ?? after) : 0
  return { entries, revision: source.revision, remaining }
}

export function* walk(current: OrderedKeys<Version>, prefix: string, after?: string): Generator<Version> {
  const resume = after !== undefined && after >= prefix
  for (const version of current.walk(resume ? after : prefix, resume)) {
    if (!version.key.startsWith(prefix)) return
    yield version
  }
}

export function countUnder(current: OrderedKeys<Version>, prefix: string): number {
  return current.rank(afterPrefix(prefix)) - current.rank(prefix)
}

function* merge(source: PageSource, undone: readonly string[], versions: Iterable<Version>): Generator<Entry> {
  let next = 0
  function* undoneBefore(key: string | undefined): Generator<Entry> {
    for (; next < undone.length && (key === undefined || undone[next]! < key); next++) {
      const entry = source.undo.get(undone[next]!)
      if (entry) yield entry
    }
  }
  for (const version of versions) {
    // Most often there is nothing to undo: that costs a list of many objects half of its time.
    if (next < undone.length) yield* undoneBefore(version.key)
    if (source.undo.size === 0 || !source.undo.has(version.key)) yield source.entry(version)
  }
  yield* undoneBefore(undefined)
}

function countAfter({ current, undo }: PageSource, prefix: string, last: string | undefined): number {
  const resume = last !== undefined && last >= prefix
  let count = current.rank(afterPrefix(prefix)) - current.rank(resume ? last : prefix)
  if (resume && current.get(last)) count--
  for (const [key, entry] of undo) {
    if (last !== undefined && key <= last) continue
    if (current.get(key)) count--
    if (entry) count++
  }
  return count
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : 1
}
