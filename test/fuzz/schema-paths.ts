import type { Schema } from '#domain/schema.ts'

export interface SchemaPath {
  readonly steps: readonly string[]
  readonly schema: Schema
}

/** Every place a schema describes. Lists and maps contribute the place of their first entry. */
export function schemaPaths(schema: Schema, steps: readonly string[]): readonly SchemaPath[] {
  const own = { steps, schema }
  if (schema.items) return [own, ...schemaPaths(schema.items, [...steps, '0'])]
  if (schema.additionalProperties) return [own, ...schemaPaths(schema.additionalProperties, [...steps, 'some'])]
  const below = Object.entries(schema.properties ?? {})
  return [own, ...below.flatMap(([key, child]) => schemaPaths(child, [...steps, key]))]
}

/** A copy of the object with `value` at the place; what is missing on the way is made. */
export function withValueAt(object: unknown, steps: readonly string[], value: unknown): any {
  const [step, ...rest] = steps
  if (step === undefined) return value
  if (step === '0') {
    const list = Array.isArray(object) ? [...(object as unknown[])] : []
    list[0] = withValueAt(list[0], rest, value)
    return list
  }
  const whole = typeof object === 'object' && object !== null && !Array.isArray(object) ? object : {}
  return { ...whole, [step]: withValueAt((whole as Record<string, unknown>)[step], rest, value) }
}
