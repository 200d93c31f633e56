import { equal } from '#domain/equal.ts'
import { isObject } from '#domain/structural-object.ts'
import { type FieldSet, HERE, isEmpty, LEAF } from './field-set.ts'
import { fieldStep, type ItemKey, itemStep, valueStep } from './field-step.ts'
import { placesOf } from './fields-of.ts'
import type { Fields, ItemList, Shape } from './shape.ts'

/** What a write did to an object. */
export interface Changes {
  /** Places that are new or have another value. */
  readonly taken: FieldSet | undefined
  readonly gone: FieldSet | undefined
}

export function compare(shape: Fields, before: object, after: object): Changes {
  return { taken: takenBy(shape, before, after), gone: goneFrom(shape, before, after) }
}

type Places = Record<string, FieldSet>

function takenBy(shape: Shape, before: unknown, after: unknown): FieldSet | undefined {
  if (before === after || after === undefined) return undefined
  if (before === undefined) return placesOf(shape, after)
  if (shape.type === 'fields' && isObject(before) && isObject(after)) return takenFields(shape, before, after)
  if (shape.type !== 'atom' && shape.type !== 'fields' && Array.isArray(before) && Array.isArray(after)) {
    return shape.type === 'set' ? newValues(before, after) : takenItems(shape, before, after)
  }
  return equal(before, after) ? undefined : placesOf(shape, after)
}

type Json = Readonly<Record<string, unknown>>

const own = (value: Json, key: string): unknown => (Object.hasOwn(value, key) ? value[key] : undefined)

function takenFields(shape: Fields, before: Json, after: Json): FieldSet | undefined {
  let out: Places | undefined
  for (const { key, step, shape: child } of shape.fields) {
    const place = takenBy(child, before[key], after[key])
    if (place) (out ??= {})[step] = place
  }
  if (shape.rest === undefined) return out
  for (const key of Object.keys(after)) {
    if (shape.byKey.has(key) || shape.foreign.has(key)) continue
    const place = takenBy(shape.rest, own(before, key), after[key])
    if (place) (out ??= {})[fieldStep(key)] = place
  }
  return out
}

function newValues(before: readonly unknown[], after: readonly unknown[]): FieldSet | undefined {
  const known = new Set(before.map(valueStep))
  let out: Places | undefined
  for (const item of after) {
    const step = valueStep(item)
    if (!known.has(step)) (out ??= {})[step] = LEAF
  }
  return out
}

function takenItems(shape: ItemList, before: readonly unknown[], after: readonly unknown[]): FieldSet | undefined {
  const known = indexItems(shape.keys, before)
  let out: Places | undefined
  for (const item of after) {
    const step = itemStep(shape.keys, item)
    if (step === undefined) continue
    const place = takenBy(shape.item, known.get(step), item)
    if (place) (out ??= {})[step] = place
  }
  return out
}

/** The items by their step; those without their keys are left out. */
export function indexItems(keys: readonly ItemKey[], list: readonly unknown[]): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  for (const item of list) {
    const step = itemStep(keys, item)
    if (step !== undefined) found.set(step, item)
  }
  return found
}

function goneFrom(shape: Shape, before: unknown, after: unknown): FieldSet | undefined {
  if (before === after || before === undefined || shape.type === 'atom') {
    return after === undefined && before !== undefined ? LEAF : undefined
  }
  if (after === undefined) return placesOf(shape, before)
  if (shape.type === 'fields') {
    if (!isObject(before)) return undefined
    return isObject(after) ? goneFields(shape, before, after) : placesBelow(shape, before)
  }
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined
  return shape.type === 'set' ? newValues(after, before) : goneItems(shape, before, after)
}

/** What a value of another type leaves behind: the place is still there, what was below it is not. */
function placesBelow(shape: Shape, value: unknown): FieldSet | undefined {
  const { [HERE]: _, ...below } = placesOf(shape, value) ?? LEAF
  return isEmpty(below) ? undefined : below
}

function goneFields(shape: Fields, before: Json, after: Json): FieldSet | undefined {
  let out: Places | undefined
  for (const { key, step, shape: child } of shape.fields) {
    const place = goneFrom(child, before[key], after[key])
    if (place) (out ??= {})[step] = place
  }
  if (shape.rest === undefined) return out
  for (const key of Object.keys(before)) {
    if (shape.byKey.has(key) || shape.foreign.has(key)) continue
    const place = goneFrom(shape.rest, before[key], own(after, key))
    if (place) (out ??= {})[fieldStep(key)] = place
  }
  return out
}

function goneItems(shape: ItemList, before: readonly unknown[], after: readonly unknown[]): FieldSet | undefined {
  const left = indexItems(shape.keys, after)
  let out: Places | undefined
  for (const [step, item] of indexItems(shape.keys, before)) {
    const place = goneFrom(shape.item, item, left.get(step))
    if (place) (out ??= {})[step] = place
  }
  return out
}
