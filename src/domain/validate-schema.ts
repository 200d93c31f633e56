import type { FieldError } from './errors.ts'
import type { Rule, Schema } from './schema.ts'
import { assertOwnable, isObject, type Json } from './structural-object.ts'
import { type Check, invalid, MAX_ERRORS, mistyped, quoted, report, required, typeName } from './validate-error.ts'
import { checkBoolean, checkNumber, checkString } from './validate-scalar.ts'

/** Compiles a schema into the function that reports, in document order, everything that is wrong with a value. */
export function compileCheck(schema: Schema): Check {
  if (schema.type === 'string') return checkString(schema)
  if (schema.type === 'boolean') return checkBoolean
  if (schema.type === 'array') return checkList(schema)
  if (schema.type === 'object') return checkObject(schema)
  return checkNumber(schema)
}

function checkObject(schema: Schema): Check {
  const fields = Object.entries(schema.properties ?? {}).map(([key, child]) => ({
    key: assertOwnable(key),
    step: `.${key}`,
    check: compileCheck(child),
    isRequired: schema.required?.includes(key) === true,
  }))
  const checkEntry = schema.additionalProperties && compileCheck(schema.additionalProperties)
  const rules = schema.rules ?? []
  return (value, parent, step, errors) => {
    if (!isObject(value)) return mistyped(errors, quoted(typeName(value)), [parent, step], 'object')
    const at = parent + step
    const before = errors.length
    for (const { key, step: below, check, isRequired } of fields) {
      const given = value[key]
      if (given !== undefined && given !== null) check(given, at, below, errors)
      else if (isRequired) required(errors, at, below)
    }
    if (checkEntry !== undefined) checkEntries(value, at, checkEntry, errors)
    if (rules.length > 0 && !hasMistyped(errors, before)) checkRules(rules, value, [parent, step], errors)
  }
}

function checkEntries(value: Json, at: string, check: Check, errors: FieldError[]): void {
  for (const key of Object.keys(value)) {
    if (errors.length >= MAX_ERRORS) return
    if (value[key] !== undefined) check(value[key], at, `.${key}`, errors)
  }
}

/** A rule may rely on the types of what it reads, so it is not asked where one is wrong. */
function hasMistyped(errors: readonly FieldError[], from: number): boolean {
  for (let i = from; i < errors.length; i++) if (errors[i]?.reason === 'FieldValueTypeInvalid') return true
  return false
}

function checkRules(rules: readonly Rule[], value: Json, at: readonly [string, string], errors: FieldError[]): void {
  for (const rule of rules)
    if (!rule.holds(value)) report(errors, 'FieldValueInvalid', at, `Invalid value: "object": ${rule.message}`)
}

function checkList(schema: Schema): Check {
  const checkItem = schema.items && compileCheck(schema.items)
  const { minItems = 0, maxItems = Infinity } = schema
  const keys = keysOf(schema)
  return (value, parent, step, errors) => {
    const place = [parent, step] as const
    if (!Array.isArray(value)) return mistyped(errors, quoted(typeName(value)), place, 'array')
    if (value.length > maxItems) {
      const message = `Too many: ${value.length}: must have at most ${maxItems} items`
      return report(errors, 'FieldValueTooMany', place, message)
    }
    if (value.length < minItems) invalid(errors, String(value.length), place, `should have at least ${minItems} items`)
    const at = parent + step
    if (checkItem !== undefined)
      for (let i = 0; i < value.length && errors.length < MAX_ERRORS; i++) checkItem(value[i], at, `[${i}]`, errors)
    if (keys !== undefined) checkUnique(value, at, keys, errors)
  }
}

function checkUnique(list: readonly unknown[], at: string, { keyOf, textOf }: Keys, errors: FieldError[]): void {
  if (list.length < 2) return
  const seen = new Set<string>()
  for (let i = 0; i < list.length; i++) {
    const key = keyOf(list[i])
    if (key === undefined) continue
    if (seen.has(key)) report(errors, 'FieldValueDuplicate', [at, `[${i}]`], `Duplicate value: ${textOf(list[i])}`)
    seen.add(key)
  }
}

/** What must be unique in a list. */
interface Keys {
  /** Undefined for items whose key is itself wrong. */
  readonly keyOf: (item: unknown) => string | undefined
  /** The key in the words of the answer. */
  readonly textOf: (item: unknown) => string
}

function keysOf({ listType, listMapKeys = [] }: Schema): Keys | undefined {
  if (listType === 'set') return { keyOf: scalarText, textOf: (item) => scalarText(item) ?? '' }
  if (listType !== 'map') return undefined
  const names = listMapKeys.toSorted()
  const [only, ...others] = names
  const textOf = (item: unknown): string =>
    `map[string]interface {}{${names.map((name) => `${quoted(name)}:${scalarText((item as Json)[name])}`).join(', ')}}`
  const keyOf = (item: unknown): string | undefined => {
    if (!isObject(item)) return undefined
    if (others.length === 0) return only === undefined ? '' : scalarText(item[only])
    const parts = names.map((name) => scalarText(item[name]))
    return parts.includes(undefined) ? undefined : parts.join()
  }
  return { keyOf, textOf }
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? String(value)
    : undefined
}
