import { isObject } from '#domain/structural-object.ts'
import { type FieldSet, HERE, LEAF, withHere } from './field-set.ts'
import { fieldStep, itemStep, valueStep } from './field-step.ts'
import type { Fields, ItemList, Shape } from './shape.ts'

type Places = Record<string, FieldSet>

/** Every place of a value, containers included: what a write owns that made it. Undefined: nothing to own. */
export const placesOf = (shape: Shape, value: unknown): FieldSet | undefined => visit(shape, value, true)

/** The fields an applied configuration owns: what it says, and not the containers it says it in. */
export const leavesOf = (shape: Shape, value: unknown): FieldSet | undefined => visit(shape, value, false)

function visit(shape: Shape, value: unknown, containers: boolean): FieldSet | undefined {
  if (shape.type === 'atom') return LEAF
  if (shape.type === 'fields') {
    if (!isObject(value)) return LEAF
    const places = placesIn(shape, value, containers)
    return shape.bare ? places : (places ?? LEAF)
  }
  if (!Array.isArray(value)) return LEAF
  return shape.type === 'set' ? valuesOf(value, containers) : itemsOf(shape, value, containers)
}

function placesIn(shape: Fields, value: Readonly<Record<string, unknown>>, containers: boolean): Places | undefined {
  let out: Places | undefined
  const start = (): Places => (containers && !shape.bare ? { [HERE]: LEAF } : {})
  for (const { key, step, shape: child } of shape.fields) {
    const given = value[key]
    const place = given === undefined ? undefined : visit(child, given, containers)
    if (place) (out ??= start())[step] = place
  }
  if (shape.rest === undefined) return out
  for (const key of Object.keys(value)) {
    if (value[key] === undefined || shape.byKey.has(key) || shape.foreign.has(key)) continue
    const place = visit(shape.rest, value[key], containers)
    if (place) (out ??= start())[fieldStep(key)] = withHere(place)
  }
  return out
}

function valuesOf(list: readonly unknown[], containers: boolean): FieldSet {
  if (list.length === 0) return LEAF
  const out: Places = containers ? { [HERE]: LEAF } : {}
  for (const item of list) out[valueStep(item)] = LEAF
  return out
}

function itemsOf({ keys, item: shape }: ItemList, list: readonly unknown[], containers: boolean): FieldSet {
  const out: Places = containers ? { [HERE]: LEAF } : {}
  let found = false
  for (const item of list) {
    const step = itemStep(keys, item)
    if (step === undefined) continue
    found = true
    out[step] = withHere(visit(shape, item, containers) ?? LEAF)
  }
  return found ? out : LEAF
}
