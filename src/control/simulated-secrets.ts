import type { Schema } from '#domain/schema.ts'

const REFERENCE = /^\$<.*>$/su
const SIMULATED = '$<simulated>'

/** A spec as the server would hand it out: references where secrets are, made up ones where it would make new ones. */
export function withReferences(schema: Schema, value: unknown): unknown {
  if (schema.secret !== undefined) return withReference(schema, value)
  if (Array.isArray(value))
    return schema.items === undefined ? value : value.map((v) => withReferences(schema.items!, v))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(schema.properties ?? {}).map(([field, inner]) => {
    const given = Object.hasOwn(value, field) ? (value as Record<string, unknown>)[field] : undefined
    return [field, withReferences(inner, given), given] as const
  })
  const changed = fields.filter(([, made, given]) => made !== given)
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) }
}

function withReference(schema: Schema, value: unknown): unknown {
  if (typeof value === 'string') return REFERENCE.test(value) ? value : SIMULATED
  return value === undefined && schema.secret === 'generated' ? SIMULATED : value
}
