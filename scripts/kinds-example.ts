import { apiVersionOf, type Kind } from '#domain/kind.ts'
import type { Schema } from '#domain/schema.ts'
import { normalize, validate } from '#domain/structural.ts'
import { compileCheck } from '#domain/validate-schema.ts'

const zone = { name: 'aws', namespace: 'prod' }
const application = { name: 'shop', namespace: 'prod--eni--shop' }

/** Examples worth reading; the other kinds get the least their schema asks for. */
const SPECS: Readonly<Record<string, object>> = {
  ApiSpecification: {
    basepath: '/eni/shop/v1',
    category: 'other',
    hash: 'd7a8fbb307d7809469ca9abcb0082e4f8d5651e46d3cdb762d02d0bf37c9e592',
    scopes: ['orders:read'],
    specification: 'shop-v1',
    version: '1.4.0',
  },
  ApiSubscription: {
    apiBasePath: '/eni/shop/v1',
    requestor: { application },
    security: { m2m: { scopes: ['orders:read'] } },
    traffic: { failover: { zone: [{ name: 'gcp', namespace: 'prod' }] } },
    zone,
  },
  EventConfig: {
    zone,
    local: {
      admin: { url: 'https://events.example.com/api/v1/resources' },
      publishEventUrl: 'https://events.example.com/publish',
      serverSendEventUrl: 'https://events.example.com/sse',
    },
    mesh: { fullMesh: false, zoneNames: ['gcp'] },
  },
  EventExposure: {
    approval: { strategy: 'Simple', trustedTeams: ['eni--shop'] },
    eventType: 'de.vendor.order.v1',
    provider: application,
    scopes: [{ name: 'europe', trigger: { selectionFilter: { attributes: { region: 'eu' } } } }],
    visibility: 'Enterprise',
    zone,
  },
  EventSubscription: {
    delivery: { type: 'Callback', callback: 'https://shop.example.com/orders', payload: 'Data' },
    eventType: 'de.vendor.order.v1',
    requestor: application,
    scopes: ['europe'],
    zone,
  },
  EventType: {
    type: 'de.vendor.order.v1',
    version: '1.0.0',
    description: 'An order was placed, changed or cancelled.',
  },
  File: { checksum: '16j7swfXgJRpypq8sAguT41WUeRtPNt2LQK/vzfJ5ZI=', contentType: 'application/yaml', size: 4711 },
}

/** Where an object lives when not with its team: an EventConfig lives in the namespace of its zone. */
const PLACES: Readonly<Record<string, object>> = {
  EventConfig: { name: 'aws', namespace: 'prod--aws' },
}

/** A valid object of the kind. @throws when it is not, so that no page shows one the server refuses. */
export function exampleOf(kind: Kind): object {
  const metadata = kind.scope === 'Namespaced' ? (PLACES[kind.kind] ?? application) : { name: 'example' }
  const spec = SPECS[kind.kind] ?? leastOf(kind.spec, '')
  const example = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec }
  const { object, unknown } = normalize(kind, example)
  const problems = [
    ...unknown.map((path) => `${path} is unknown`),
    ...validate(kind, object).map((e) => `${e.field}: ${e.message}`),
  ]
  if (problems.length > 0) throw new Error(`the example of ${kind.kind} is not valid: ${problems.join(', ')}`)
  return example
}

const TEXTS = [
  'example',
  '1.0.0',
  '/eni/shop/v1',
  'eni--shop',
  'https://example.com',
  'shop@example.com',
  '720h',
  '2026-01-31T10:20:30Z',
  'a',
]

function leastOf(schema: Schema, key: string): unknown {
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  if (schema.type === 'boolean') return true
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(schema.minimum ?? 1, 1)
  if (schema.type === 'array') return schema.items && schema.minItems !== 0 ? [leastOf(schema.items, key)] : []
  return schema.type === 'object' ? leastObject(schema) : leastText(schema, key)
}

function leastText(schema: Schema, key: string): string {
  const fits = (text: string): boolean => {
    const errors: never[] = []
    compileCheck(schema)(text, '', '', errors)
    return errors.length === 0
  }
  const usual = key === 'namespace' ? ['prod--eni--shop'] : []
  return [...usual, ...TEXTS].find(fits) ?? 'example'
}

/** The required properties, and as many optional ones as the rules ask for. */
function leastObject(schema: Schema): object {
  const properties = Object.entries(schema.properties ?? {})
  const needed = properties.filter(([key]) => schema.required?.includes(key))
  const least = Object.fromEntries(needed.map(([key, child]) => [key, leastOf(child, key)]))
  const holds = (value: Record<string, unknown>): boolean => (schema.rules ?? []).every((rule) => rule.holds(value))
  if (holds(least)) return least
  const more = properties.map(([key, child]) => ({ ...least, [key]: leastOf(child, key) }))
  return more.find(holds) ?? least
}
