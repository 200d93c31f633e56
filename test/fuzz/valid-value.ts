import fc from 'fast-check'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import type { Schema } from '#domain/schema.ts'
import { compileCheck } from '#domain/validate-schema.ts'
import { BASE_NAME, nameFor, NAMESPACE } from './case.ts'
import type { Random } from './random.ts'

/** Values a schema allows: what is hostile is always one step away from one of them, or it would not get far. */
const TEXTS = [
  'example',
  '1.0.0',
  '/eni/shop/v1',
  'eni--fuzz',
  'de.vendor.order.v1',
  'https://example.com',
  'shop@example.com',
  '720h',
  '2026-01-31T10:20:30Z',
  '16j7swfXgJRpypq8sAguT41WUeRtPNt2LQK/vzfJ5ZI=',
  'a',
]

const fits = (schema: Schema, value: unknown): boolean => {
  const errors: never[] = []
  compileCheck(schema)(value, '', '', errors)
  return errors.length === 0
}

const pools = new WeakMap<Schema, readonly string[]>()

function textsOf(schema: Schema): readonly string[] {
  const known = pools.get(schema)
  if (known !== undefined) return known
  const usual = TEXTS.filter((text) => fits(schema, text))
  const matching = schema.pattern === undefined ? [] : sampleOf(schema.pattern).filter((text) => fits(schema, text))
  const found = [...usual, ...matching]
  pools.set(schema, found)
  return found
}

const sampleOf = (pattern: string): readonly string[] =>
  fc.sample(fc.stringMatching(new RegExp(pattern), { size: '-1' }), { seed: 7, numRuns: 8 })

export interface Density {
  /** How many of the optional fields there are, from 0 to 1. */
  readonly optional: number
}

export function validValue(schema: Schema, random: Random, density: Density): unknown {
  if (schema.enum) return random.pick(schema.enum)
  if (schema.type === 'boolean') return random.chance(0.5)
  if (schema.type === 'integer' || schema.type === 'number') return (schema.minimum ?? 1) + 1
  if (schema.type === 'string') return random.pick(textsOf(schema).length > 0 ? textsOf(schema) : ['example'])
  if (schema.type === 'array') return validList(schema, random, density)
  if (schema.additionalProperties) return { some: validValue(schema.additionalProperties, random, density) }
  return validObject(schema, random, density)
}

function validList(schema: Schema, random: Random, density: Density): unknown[] {
  if (schema.items === undefined) return []
  const { items } = schema
  const length = Math.max(schema.minItems ?? 0, schema.listType === 'atomic' ? random.int(3) : 1)
  return Array.from({ length: Math.min(length, schema.maxItems ?? length) }, () => validValue(items, random, density))
}

function validObject(schema: Schema, random: Random, density: Density): object {
  const properties = Object.entries(schema.properties ?? {})
  const holds = (value: Record<string, unknown>): boolean => (schema.rules ?? []).every((rule) => rule.holds(value))
  for (const optional of [density.optional, 0.5, 0.3, 0.5, 0.3, 0.5, 0.2, 0.1]) {
    const chosen = properties.filter(([key]) => schema.required?.includes(key) || random.chance(optional))
    const value = Object.fromEntries(chosen.map(([key, child]) => [key, validValue(child, random, density)]))
    if (holds(value)) return value
  }
  return {}
}

/** Named like the base object of the kind, unless told. */
export function validObjectOf(kind: Kind, random: Random, optional: number, name = BASE_NAME): any {
  const spec: any = validValue(kind.spec, random, { optional })
  const own = kind.kind === 'Team' ? { group: 'eni', name } : {}
  const namespace = kind.scope === 'Cluster' ? {} : { namespace: NAMESPACE }
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name: nameFor(kind, name), ...namespace },
    ...(Object.keys(kind.spec.properties ?? {}).length > 0 && { spec: { ...spec, ...own } }),
  }
}
