import { isObject, setOwn } from '#domain/structural-object.ts'
import { EMPTY, type FieldSet, HERE } from './field-set.ts'
import { fieldStep, itemStep, valueStep } from './field-step.ts'
import { indexItems } from './compare.ts'
import type { Fields, ItemList, Shape } from './shape.ts'

type Json = Readonly<Record<string, unknown>>

const ATOM: Shape = { type: 'atom' }

const shapeAt = (shape: Fields, key: string): Shape => shape.byKey.get(key)?.shape ?? shape.rest ?? ATOM

/** The live object with an applied configuration laid over it; what neither divides is replaced. Inputs are shared. */
export function merge(shape: Shape, live: unknown, config: unknown): unknown {
  if (config === undefined) return live
  if (live === undefined || shape.type === 'atom') return config
  if (shape.type === 'fields') return isObject(live) && isObject(config) ? mergeFields(shape, live, config) : config
  if (!Array.isArray(live) || !Array.isArray(config)) return config
  return shape.type === 'set' ? mergeValues(live, config) : mergeItems(shape, live, config)
}

function mergeFields(shape: Fields, live: Json, config: Json): Json {
  const out: Record<string, unknown> = { ...live }
  for (const key of Object.keys(config)) {
    setOwn(out, key, merge(shapeAt(shape, key), Object.hasOwn(live, key) ? live[key] : undefined, config[key]))
  }
  return out
}

function mergeValues(live: readonly unknown[], config: readonly unknown[]): readonly unknown[] {
  const known = new Set(live.map(valueStep))
  return [...live, ...config.filter((item) => !known.has(valueStep(item)))]
}

/** Items stay where they are; new ones come last. */
function mergeItems(shape: ItemList, live: readonly unknown[], config: readonly unknown[]): readonly unknown[] {
  const given = indexItems(shape.keys, config)
  const known = indexItems(shape.keys, live)
  const merged = live.map((item) => merge(shape.item, item, given.get(itemStep(shape.keys, item) ?? '')))
  return [...merged, ...config.filter((item) => !known.has(itemStep(shape.keys, item) ?? ''))]
}

/** The value without the places of `last` that nobody owns any more, nor anything below them. */
export function prune(shape: Shape, value: unknown, last: FieldSet, owned: FieldSet): unknown {
  if (shape.type === 'fields') return isObject(value) ? pruneFields(shape, value, last, owned) : value
  if (shape.type === 'atom' || !Array.isArray(value)) return value
  const stepOf = shape.type === 'set' ? valueStep : (item: unknown): string => itemStep(shape.keys, item) ?? ''
  const below = shape.type === 'set' ? ATOM : shape.item
  const kept = value.flatMap((item: unknown) => {
    const [mine, theirs] = [last[stepOf(item)], owned[stepOf(item)]]
    if (mine === undefined) return [item]
    return theirs === undefined ? [] : [prune(below, item, mine, theirs)]
  })
  return kept.length === value.length && kept.every((item, i) => item === value[i]) ? value : kept
}

function pruneFields(shape: Fields, value: Json, last: FieldSet, owned: FieldSet): Json {
  let out: Record<string, unknown> | undefined
  for (const step in last) {
    const key = step.slice(2)
    if (step === HERE || step !== fieldStep(key) || !Object.hasOwn(value, key)) continue
    const child = shapeAt(shape, key)
    const theirs = owned[step] ?? (child.type === 'fields' && child.bare ? EMPTY : undefined)
    const kept = theirs && prune(child, value[key], last[step]!, theirs)
    if (kept === value[key]) continue
    out ??= { ...value }
    if (kept === undefined) delete out[key]
    else setOwn(out, key, kept)
  }
  return out ?? value
}
