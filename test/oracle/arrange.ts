import type { Recording } from './recording.ts'

type Values = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Brings an answer into the form the recordings have: parts alone, an order where order means nothing, and no empty continue,
 * which says the same as none.
 */
export function arrangeAnswer(recording: Recording, body: unknown): unknown {
  const cut = recording.trimmed === undefined ? body : part(recording, body)
  return ordered(cut, recording.unordered === true)
}

export const arrangeRecorded = ({ response, unordered }: Recording): unknown =>
  ordered(response.body, unordered === true)

function part({ response }: Recording, body: unknown): unknown {
  if (typeof body === 'string') return body
  if (!isObject(body)) return body
  if (Array.isArray(response.body)) return Object.keys(body)
  const components = body['components']
  if (isObject(components) && isObject(components['schemas']) && isObject(body['paths'])) {
    const { schemas } = components
    return {
      openapi: body['openapi'],
      schemaNames: Object.keys(schemas),
      paths: Object.keys(body['paths']),
      schema: schemas,
    }
  }
  return body
}

/** Lists that Kubernetes fills from maps. */
const UNORDERED: Readonly<Record<string, (item: Values) => string>> = {
  managedFields: (f) => [f['operation'], f['subresource'] ?? '', f['manager'], f['apiVersion']].join('|'),
  resources: (r) => String(r['name'] ?? r['resource']),
}

function ordered(value: unknown, items: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => ordered(item, false))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => key !== 'continue' || inner !== '')
      .map(([key, inner]) => [withoutUid(key), orderedField(key, inner, items)]),
  )
}

/** Owners are keys of field sets by their uid. */
const withoutUid = (key: string): string => (key.startsWith('k:') ? key.replace(/"uid":"[^"]*"/, '"uid":"*"') : key)

function orderedField(key: string, inner: unknown, items: boolean): unknown {
  const done = ordered(inner, false)
  if (!Array.isArray(done)) return done
  if (key === 'verbs') return (done as string[]).toSorted((a, b) => (a < b ? -1 : 1))
  if (key === 'items' && items) return sorted(done, fullName)
  const by = Object.hasOwn(UNORDERED, key) ? UNORDERED[key] : undefined
  return by === undefined ? done : sorted(done, by)
}

const sorted = (list: readonly unknown[], by: (item: Values) => string): unknown[] =>
  list.toSorted((a, b) => (by(a as Values) < by(b as Values) ? -1 : 1))

const fullName = (item: Values): string => {
  const metadata = item['metadata'] as Values
  return `${String(metadata['namespace'])}/${String(metadata['name'])}`
}
