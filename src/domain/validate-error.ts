import type { CauseReason, FieldError } from './errors.ts'

/** Reports what is wrong with a value. `parent` and `step` are its path, joined only when something is wrong. */
export type Check = (value: unknown, parent: string, step: string, errors: FieldError[]) => void

/** Nobody corrects more than this at once, and a hostile body must not make an answer larger than itself. */
export const MAX_ERRORS = 100

const MAX_SHOWN = 500

/** Paths carry a leading dot until they are shown. */
const shown = (parent: string, step: string): string => (parent + step).slice(1)

export function report(
  errors: FieldError[],
  reason: CauseReason,
  at: readonly [string, string],
  message: string,
): void {
  if (errors.length < MAX_ERRORS) errors.push({ reason, field: shown(...at), message })
}

export const required = (errors: FieldError[], parent: string, step: string): void =>
  report(errors, 'FieldValueRequired', [parent, step], 'Required value')

/** `Invalid value: "x": spec.a in body should match '…'` */
export const invalid = (errors: FieldError[], value: string, at: readonly [string, string], complaint: string): void =>
  report(errors, 'FieldValueInvalid', at, `Invalid value: ${value}: ${shown(...at)} in body ${complaint}`)

/** Types and formats share one wording: `Invalid value: "integer": spec.a in body must be of type string: "integer"`. */
export const mistyped = (errors: FieldError[], value: string, at: readonly [string, string], expected: string): void =>
  report(
    errors,
    'FieldValueTypeInvalid',
    at,
    `Invalid value: ${value}: ${shown(...at)} in body must be of type ${expected}: ${value}`,
  )

/** A stranger's text in a message: quoted, and cut where it gets too long to read. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)

/** The JSON Schema name of what a value is; an integer beyond 64 bits is a number, as in Go. */
export function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? 'integer' : 'number'
  if (typeof value !== 'number') return typeof value
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63 ? 'integer' : 'number'
}
