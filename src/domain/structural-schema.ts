import type { Schema } from './schema.ts'
import { URI_PATTERN } from './validate-format.ts'

/** A schema in the words of OpenAPI, as plain data. */
export type OpenApiSchema = { readonly [key: string]: unknown }

export interface Dialect {
  /**
   * `crd` and `v3` say everything. `v2` says what kubectl's client-side validation can bear: no rules, no defaults, and
   * no properties where unknown ones are kept, because old clients refuse what is not listed.
   */
  readonly of: 'crd' | 'v3' | 'v2'
  /** Unknown fields are kept on every level. */
  readonly preserveAll: boolean
}

const SAME = [
  'format',
  'enum',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
] as const

export function structuralSchema(schema: Schema, dialect: Dialect): OpenApiSchema {
  const out: Record<string, unknown> = {}
  if (schema.doc !== undefined) out['description'] = schema.doc
  out['type'] = schema.type
  for (const key of SAME) if (schema[key] !== undefined) out[key] = schema[key]
  if (schema.format === 'uri') out['pattern'] = schema.pattern ?? URI_PATTERN
  if (schema.default !== undefined && dialect.of !== 'v2') out['default'] = schema.default
  if (schema.type === 'array') Object.assign(out, listPart(schema, dialect))
  if (schema.type === 'object') Object.assign(out, objectPart(schema, dialect))
  return out
}

function listPart(schema: Schema, dialect: Dialect): OpenApiSchema {
  return {
    ...(schema.items && { items: structuralSchema(schema.items, dialect) }),
    ...(schema.listType && { 'x-kubernetes-list-type': schema.listType }),
    ...(schema.listMapKeys && { 'x-kubernetes-list-map-keys': schema.listMapKeys }),
  }
}

function objectPart(schema: Schema, dialect: Dialect): OpenApiSchema {
  const preserve = schema.additionalProperties === undefined && (dialect.preserveAll || schema.preserveUnknown === true)
  const unknown = preserve ? { 'x-kubernetes-preserve-unknown-fields': true } : {}
  if (preserve && dialect.of === 'v2') return unknown
  const rules = (schema.rules ?? []).map(({ cel, message }) => ({ rule: cel, message }))
  return {
    ...(schema.properties && { properties: structuralProperties(schema.properties, dialect) }),
    ...requiredPart(schema, dialect),
    ...(schema.additionalProperties && {
      additionalProperties: structuralSchema(schema.additionalProperties, dialect),
    }),
    ...unknown,
    ...(rules.length > 0 && dialect.of !== 'v2' && { 'x-kubernetes-validations': rules }),
  }
}

/** Old clients know no defaults (they are left out of `v2`), so there what has one must not count as required either. */
function requiredPart({ required = [], properties }: Schema, dialect: Dialect): OpenApiSchema {
  const names = dialect.of === 'v2' ? required.filter((name) => properties?.[name]?.default === undefined) : required
  return names.length > 0 ? { required: names } : {}
}

function structuralProperties(properties: Readonly<Record<string, Schema>>, dialect: Dialect): OpenApiSchema {
  return Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, structuralSchema(child, dialect)]))
}

export const ENVELOPE_DOCS = {
  apiVersion: 'Version of the schema this object is written in; constant per kind.',
  kind: 'The kind of the object; constant.',
  metadata: "Standard object's metadata.",
} as const
