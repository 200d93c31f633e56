import type { FieldError } from './errors.ts'
import type { Schema } from './schema.ts'
import { type Check, invalid, mistyped, quoted, report, typeName } from './validate-error.ts'
import { FORMATS } from './validate-format.ts'
import { compilePattern } from './validate-pattern.ts'

/** The first thing wrong with a string: length, then enumeration, pattern and format, so that patterns see bounded text. */
export function checkString(schema: Schema): Check {
  const { maxLength = Infinity, minLength = 0, format } = schema
  const values = schema.enum && new Set(schema.enum)
  const supported = schema.enum?.map(quoted).join(', ')
  const pattern = schema.pattern === undefined ? undefined : compilePattern(schema.pattern)
  const fits = format === undefined || format === 'int32' || format === 'int64' ? undefined : FORMATS[format]
  const show = schema.secret === undefined ? quoted : (text: string) => (text === '' ? '""' : '"(secret)"')
  return (value, parent, step, errors) => {
    const at = [parent, step] as const
    if (typeof value !== 'string') mistyped(errors, quoted(typeName(value)), at, 'string')
    else if (isLonger(value, maxLength))
      report(errors, 'FieldValueTooLong', at, `Too long: may not be longer than ${maxLength}`)
    else if (isShorter(value, minLength)) invalid(errors, show(value), at, `should be at least ${minLength} chars long`)
    else if (values && !values.has(value))
      report(errors, 'FieldValueNotSupported', at, `Unsupported value: ${show(value)}: supported values: ${supported}`)
    else if (pattern && !pattern.test(value)) invalid(errors, show(value), at, `should match '${schema.pattern}'`)
    else if (fits && !fits(value)) mistyped(errors, show(value), at, format ?? '')
  }
}

export function checkNumber(schema: Schema): Check {
  const [low, high] = schema.format === 'int32' ? [-(2 ** 31), 2 ** 31 - 1] : [-Infinity, Infinity]
  const minimum = Math.max(schema.minimum ?? low, low)
  const maximum = Math.min(schema.maximum ?? high, high)
  return (value, parent, step, errors) => {
    const type = typeName(value)
    const at = [parent, step] as const
    if (type !== 'integer' && (type !== 'number' || schema.type === 'integer'))
      mistyped(errors, quoted(type), at, schema.type)
    else if ((value as number) < minimum)
      invalid(errors, String(value), at, `should be greater than or equal to ${minimum}`)
    else if ((value as number) > maximum)
      invalid(errors, String(value), at, `should be less than or equal to ${maximum}`)
  }
}

export const checkBoolean: Check = (value, parent, step, errors: FieldError[]) => {
  if (typeof value !== 'boolean') mistyped(errors, quoted(typeName(value)), [parent, step], 'boolean')
}

/** Lengths are code points; UTF-16 units bound them from both sides, so counting is rare. */
function isLonger(text: string, limit: number): boolean {
  return text.length > limit && (text.length > 2 * limit || codePoints(text) > limit)
}

function isShorter(text: string, limit: number): boolean {
  return text.length < 2 * limit && (text.length < limit || codePoints(text) < limit)
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
