/** What is wrong with a document, and where in it. */
export interface Problem {
  readonly field: string
  readonly message: string
}

export const problem = (field: string, message: string): Problem => ({ field, message })

type Values = Readonly<Record<string, unknown>>

export const isMap = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An own property of an object; undefined for anything else, so that wrong types read as absent. */
export const property = (value: unknown, key: string): unknown =>
  isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** A text, or the text of a number: YAML writers forget quotes. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined
}
