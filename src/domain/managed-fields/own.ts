import type { Changes } from './compare.ts'
import { type Author, type Entries, isBy, newEntry, tidy } from './entry.ts'
import { difference, EMPTY, type FieldSet, intersection, isEmpty, sameSet, union } from './field-set.ts'
import { leavesOf } from './fields-of.ts'
import { compare } from './compare.ts'
import { merge, prune } from './merge.ts'
import type { Fields } from './shape.ts'

const NOTHING: FieldSet = EMPTY

/** Who owns what after a plain write: its author owns all it changed, nobody owns what is gone. */
export function ownAfterUpdate(entries: Entries, { taken, gone }: Changes, author: Author, now: string): Entries {
  if (taken === undefined && gone === undefined) return entries
  const mine = entries.find((entry) => isBy(entry, author))
  const before = mine?.fieldsV1 ?? NOTHING
  const after = union(difference(before, gone ?? NOTHING), taken ?? NOTHING)
  const others = entries.filter((entry) => entry !== mine)
  const left = dispossess(others, { taken, gone })
  if (after === before && taken === undefined && left === others) return entries
  return tidy([...left, newEntry(author, after, now)])
}

/** The entries without what another one has taken or removed; the same list when nothing was theirs. */
function dispossess(entries: Entries, { taken = NOTHING, gone = NOTHING }: Partial<Changes>): Entries {
  let changed = false
  const left = entries.map((entry) => {
    const fieldsV1 = difference(difference(entry.fieldsV1, taken), gone)
    if (fieldsV1 === entry.fieldsV1) return entry
    changed = true
    return { ...entry, fieldsV1 }
  })
  return changed ? left : entries
}

export interface Application {
  readonly shape: Fields
  /** Undefined: the object is about to be created. */
  readonly live: object | undefined
  readonly config: object
  readonly entries: Entries
  readonly author: Author
  readonly now: string
}

/** A field the applier wants to change and someone else owns. */
export interface Clash {
  readonly owner: Author
  readonly fields: FieldSet
}

export interface AppliedConfiguration {
  /** The live object as the applier wants it. */
  readonly object: object
  readonly clashes: readonly Clash[]
  /** Who owns what if nobody objects, or if the applier insists. */
  readonly entries: Entries
}

/** Lays a configuration over the live object and takes away what its author applied before and nobody else owns. */
export function applyConfiguration(request: Application): AppliedConfiguration {
  const { shape, live = {}, config, entries, author, now } = request
  const mine = entries.find((entry) => isBy(entry, author))
  const others = entries.filter((entry) => entry !== mine)
  const fields = leavesOf(shape, config) ?? NOTHING
  const merged = merge(shape, live, config) as object
  const owned = (): FieldSet => others.map(({ fieldsV1 }) => fieldsV1).reduce(union, fields)
  const object = mine ? (prune(shape, merged, mine.fieldsV1, owned()) as object) : merged
  const changes = compare(shape, live, object)
  const clashes = others.flatMap((owner) => {
    const common = intersection(owner.fieldsV1, changes.taken ?? NOTHING)
    return isEmpty(common) ? [] : [{ owner, fields: common }]
  })
  const left = dispossess(others, changes)
  const same = left === others && !changes.taken && !changes.gone && sameSet(mine?.fieldsV1 ?? NOTHING, fields)
  return { object, clashes, entries: same ? entries : tidy([...left, newEntry(author, fields, now)]) }
}
