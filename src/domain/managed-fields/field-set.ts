/**
 * A set of fields in the form Kubernetes calls FieldsV1, used as it is stored. Each key is one step of a path: `f:name`, a
 * field; `k:{…}`, the item of a list with these keys; `v:…`, a value of a set; `i:0`, an index. `.` says that the place
 * itself belongs to the set, and `{}` is short for `{".": {}}`; the root alone may be empty and is the empty set then.
 *
 * Steps begin with a letter and a colon, so no key of a stranger can be one that every object inherits. Sets are values:
 * every operation returns its argument where nothing changes, and shares what it can.
 */
export interface FieldSet {
  readonly [step: string]: FieldSet
}

export const EMPTY: FieldSet = Object.freeze({})
/** A place without anything below. The same value as `EMPTY`, with the other meaning. */
export const LEAF: FieldSet = EMPTY
export const HERE = '.'

const OPEN_LEAF: FieldSet = Object.freeze({ [HERE]: LEAF })

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false
  return true
}

/** The same place with its own membership spelt out. */
const open = (place: FieldSet): FieldSet => (isEmpty(place) ? OPEN_LEAF : place)

/** The place and everything below, with the place itself a member. */
export function withHere(place: FieldSet): FieldSet {
  return isEmpty(place) || place[HERE] !== undefined ? place : { [HERE]: LEAF, ...place }
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a
  return isEmpty(a) ? b : unitePlaces(a, b)
}

function unitePlaces(a: FieldSet, b: FieldSet): FieldSet {
  let out: Record<string, FieldSet> | undefined
  for (const step in b) {
    const mine = a[step]
    const theirs = b[step]!
    const both = mine === undefined ? theirs : step === HERE ? mine : united(mine, theirs)
    if (both !== mine) (out ??= { ...a })[step] = both
  }
  return out ?? a
}

function united(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a
  if (isEmpty(b)) return withHere(a)
  return isEmpty(a) ? withHere(b) : unitePlaces(a, b)
}

/** What is in `a` and not in `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return isEmpty(a) || isEmpty(b) ? a : (without(a, b) ?? EMPTY)
}

/** Undefined: nothing is left. */
function without(a: FieldSet, b: FieldSet): FieldSet | undefined {
  let out: Record<string, FieldSet> | undefined
  for (const step in a) {
    const theirs = b[step]
    if (theirs === undefined) continue
    const mine = a[step]!
    const left = step === HERE ? undefined : without(open(mine), open(theirs))
    if (left === mine || (left === OPEN_LEAF && isEmpty(mine))) continue
    out ??= { ...a }
    if (left === undefined) delete out[step]
    else out[step] = left
  }
  return out === undefined ? a : shut(out)
}

/** Undefined for nothing, the short form for the place alone. */
function shut(place: FieldSet): FieldSet | undefined {
  let steps = 0
  for (const _ in place) if (++steps > 1) return place
  if (steps === 0) return undefined
  return place[HERE] === undefined ? place : LEAF
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a
  return isEmpty(a) || isEmpty(b) ? EMPTY : (common(a, b) ?? EMPTY)
}

function common(a: FieldSet, b: FieldSet): FieldSet | undefined {
  let out: Record<string, FieldSet> | undefined
  for (const step in a) {
    const theirs = b[step]
    if (theirs === undefined) continue
    const both = step === HERE ? LEAF : common(open(a[step]!), open(theirs))
    if (both !== undefined) (out ??= {})[step] = both
  }
  return out && shut(out)
}

export function sameSet(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true
  let steps = 0
  for (const step in a) {
    const theirs = b[step]
    if (theirs === undefined || !sameSet(a[step]!, theirs)) return false
    steps++
  }
  for (const _ in b) steps--
  return steps === 0
}

/** Every path of the set, as its steps; parents before what is below them. */
export function* pathsOf(set: FieldSet): Generator<readonly string[]> {
  yield* below(set, [])
}

function* below(set: FieldSet, at: readonly string[]): Generator<readonly string[]> {
  for (const step in set) {
    if (step === HERE) continue
    const place = set[step]!
    const path = [...at, step]
    if (isEmpty(place) || place[HERE] !== undefined) yield path
    yield* below(place, path)
  }
}

/** The set of these paths. */
export function setOf(paths: Iterable<readonly string[]>): FieldSet {
  let set = EMPTY
  for (const path of paths) {
    let branch = LEAF
    for (const step of path.toReversed()) branch = { [step]: branch }
    set = union(set, branch)
  }
  return set
}
