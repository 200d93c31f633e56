import type { Schema } from './schema.ts'
import { assertOwnable, isObject, type Json, setOwn } from './structural-object.ts'

export interface Pruning {
  /** Keep unknown fields everywhere and report none. */
  readonly preserve: boolean
  /** Paths of what was pruned, each with a leading dot. */
  readonly unknown: string[]
}

/** Returns the value in its stored form. `parent` and `step` are the path, joined only when something needs it. */
export type Normalize = (value: unknown, parent: string, step: string, pruning: Pruning) => unknown

/**
 * Compiles a schema into the function that prunes, defaults and drops nulls. Undefined means that there is nothing to
 * do below: such values, like all that is kept untouched, are shared with the input instead of copied.
 */
export function compileNormalize(schema: Schema, preserveAll: boolean): Normalize | undefined {
  if (schema.type === 'array') return schema.items && normalizeList(compileNormalize(schema.items, preserveAll))
  if (schema.type !== 'object') return undefined
  if (schema.additionalProperties) return normalizeMap(compileNormalize(schema.additionalProperties, preserveAll))
  if (schema.properties === undefined && schema.preserveUnknown) return undefined
  return normalizeObject(schema, preserveAll || schema.preserveUnknown === true, preserveAll)
}

interface Field {
  readonly key: string
  readonly step: string
  readonly normalize: Normalize | undefined
  readonly fallback: unknown
}

function compileFields(schema: Schema, preserveAll: boolean): readonly Field[] {
  return Object.entries(schema.properties ?? {}).map(([key, child]) => {
    const normalize = compileNormalize(child, preserveAll)
    const none: Pruning = { preserve: true, unknown: [] }
    const fallback = normalize && child.default !== undefined ? normalize(child.default, '', '', none) : child.default
    return { key: assertOwnable(key), step: `.${key}`, normalize, fallback }
  })
}

function normalizeObject(schema: Schema, preserveHere: boolean, preserveAll: boolean): Normalize {
  const fields = compileFields(schema, preserveAll)
  const known = new Set(fields.map((field) => field.key))
  return (value, parent, step, pruning) => {
    if (!isObject(value)) return value
    const at = parent + step
    const out: Record<string, unknown> = {}
    let present = 0
    for (const { key, step: below, normalize, fallback } of fields) {
      const given = value[key]
      if (given !== undefined) present++
      if (given === undefined || given === null) {
        if (fallback !== undefined) out[key] = fallback
      } else out[key] = normalize === undefined ? given : normalize(given, at, below, pruning)
    }
    const keys = Object.keys(value)
    if (keys.length === present) return out
    const rest = keys.filter((key) => !known.has(key) && value[key] !== undefined)
    if (preserveHere || pruning.preserve) for (const key of rest) setOwn(out, key, value[key])
    else for (const key of rest) pruning.unknown.push(`${at}.${key}`)
    return out
  }
}

/** A null item stays: it is for validation to refuse. */
function normalizeList(item: Normalize | undefined): Normalize | undefined {
  if (item === undefined) return undefined
  return (value, parent, step, pruning) => {
    if (!Array.isArray(value)) return value
    const at = parent + step
    return value.map((entry: unknown, i) => item(entry, at, `[${i}]`, pruning))
  }
}

function normalizeMap(entry: Normalize | undefined): Normalize {
  return (value, parent, step, pruning) => {
    if (!isObject(value)) return value
    if (entry === undefined && !hasHoles(value)) return value
    const at = parent + step
    const out: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      const given = value[key]
      if (given === undefined || given === null) continue
      setOwn(out, key, entry === undefined ? given : entry(given, at, `.${key}`, pruning))
    }
    return out
  }
}

function hasHoles(value: Json): boolean {
  for (const key in value) if (value[key] === undefined || value[key] === null) return true
  return false
}
