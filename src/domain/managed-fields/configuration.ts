import type { FieldError } from '#domain/errors.ts'
import { isObject, setOwn } from '#domain/structural-object.ts'
import { itemStep } from './field-step.ts'
import type { Fields, ItemList, Shape } from './shape.ts'

/** What someone applies, reduced to what can be owned: nothing the server owns, no nulls (a null is an absent field). */
export interface Configuration {
  readonly value: Readonly<Record<string, unknown>>
  /** Paths of the fields the schema does not know, as `.spec.bogus`. */
  readonly unknown: readonly string[]
  /** Items of lists that cannot be told apart. */
  readonly errors: readonly FieldError[]
}

interface Findings {
  readonly unknown: string[]
  readonly errors: FieldError[]
}

/** A hostile body can be wrong in a hundred thousand places; nobody reads more than these. */
const MAX_FINDINGS = 100

export function configuration(shape: Fields, value: Readonly<Record<string, unknown>>): Configuration {
  const findings: Findings = { unknown: [], errors: [] }
  return { value: readFields(shape, value, '', findings), ...findings }
}

function read(shape: Shape, value: unknown, at: string, findings: Findings): unknown {
  if (shape.type === 'fields' && isObject(value)) return readFields(shape, value, at, findings)
  if (shape.type === 'items' && Array.isArray(value)) return readItems(shape, value, at, findings)
  return value
}

type Json = Readonly<Record<string, unknown>>

function readFields(shape: Fields, value: Json, at: string, findings: Findings): Json {
  const out: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const given = value[key]
    if (shape.foreign.has(key) || given === undefined) continue
    const field = shape.byKey.get(key)
    const child = field?.shape ?? shape.rest
    if (child === undefined) {
      if (findings.unknown.length < MAX_FINDINGS) findings.unknown.push(`${at}.${key}`)
    } else if (given !== null || (field === undefined && child === shape)) {
      const kept = read(child, given, `${at}.${key}`, findings)
      if (!isVoid(child, kept)) setOwn(out, key, kept)
    }
  }
  return out
}

/** `metadata` with nothing of the applier's in it says nothing. */
const isVoid = (shape: Shape, value: unknown): boolean =>
  shape.type === 'fields' && shape.bare && isObject(value) && Object.keys(value).length === 0

function readItems(shape: ItemList, list: readonly unknown[], at: string, findings: Findings): readonly unknown[] {
  const seen = new Set<string>()
  return list.map((item, i) => {
    const where = `${at}[${i}]`
    const step = itemStep(shape.keys, item)
    if (step === undefined) refuse(findings, keyMissing(shape, item, where))
    else if (seen.has(step)) refuse(findings, duplicate(step, where))
    else seen.add(step)
    return read(shape.item, item, where, findings)
  })
}

function refuse({ errors }: Findings, error: FieldError): void {
  if (errors.length < MAX_FINDINGS) errors.push(error)
}

function keyMissing({ keys }: ItemList, item: unknown, where: string): FieldError {
  const names = keys.map(({ name }) => name)
  const missing = isObject(item) ? names.find((name) => !Object.hasOwn(item, name)) : undefined
  const field = `${where.slice(1)}${missing === undefined ? '' : `.${missing}`}`
  const message = `Required value: items of this list are told apart by ${names.join(' and ')}`
  return { reason: 'FieldValueRequired', field, message }
}

const duplicate = (step: string, where: string): FieldError => ({
  reason: 'FieldValueDuplicate',
  field: where.slice(1),
  message: `Duplicate value: ${step.slice(2, 302)}`,
})
