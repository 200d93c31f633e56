import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { mayHold } from './resource-bytes.ts'
import type { ListOptions, Stored } from './registry.ts'
import { checkFields, type Requirement, type Selector } from './selector.ts'

/** Which objects of a kind a list or a watch is about. */
export interface Filter {
  readonly namespace: string | undefined
  /** Set when only one name can match. */
  readonly name: string | undefined
  /** Whether every object in scope matches. */
  readonly everything: boolean
  /** Parses the object only when its bytes leave the answer open. */
  matches(stored: Stored): boolean
}

type Test = (stored: Stored) => boolean

/** @throws StatusError BadRequest for a field this kind cannot be selected by */
export function compileFilter(kind: Kind, options: Pick<ListOptions, 'namespace' | 'labels' | 'fields'>): Filter {
  const fields = options.fields ?? []
  checkFields(fields, kind)
  const name = exactValue(fields, 'metadata.name')
  const tests = [...(options.labels ?? []).map(labelTest), ...fields.map(fieldTest)]
  return {
    namespace: options.namespace ?? exactValue(fields, 'metadata.namespace'),
    name,
    everything: tests.length === 0,
    matches: (stored) => tests.every((test) => test(stored)),
  }
}

function exactValue(fields: Selector, key: string): string | undefined {
  return fields.find((r) => r.key === key && r.operator === '=')?.values[0]
}

function holds({ operator, values }: Requirement, value: string | undefined): boolean {
  if (operator === 'exists') return value !== undefined
  if (operator === '!exists') return value === undefined
  const among = value !== undefined && values.includes(value)
  return operator === '=' || operator === 'in' ? among : !among
}

/**
 * Label keys and values need no escaping in JSON, so an object that has the label holds `"key":"value"` literally. When
 * it does not, the answer is known without parsing: a selector nobody matches costs a search of the bytes.
 */
function labelTest(requirement: Requirement): Test {
  const { key, operator, values } = requirement
  const anyValue = operator === 'exists' || operator === '!exists'
  const needles = anyValue ? [`"${key}":"`] : values.map((value) => `"${key}":"${value}"`)
  const bytes = needles.map((needle) => Buffer.from(needle))
  const withoutIt = operator === '!=' || operator === 'notin' || operator === '!exists'
  return (stored) => {
    if (!bytes.some((needle) => mayHold(stored.bytes, needle))) return withoutIt
    const labels = stored.resource.metadata.labels
    return holds(requirement, labels && Object.hasOwn(labels, key) ? labels[key] : undefined)
  }
}

/** An absent field equals the empty string, as Kubernetes reads field selectors. */
function fieldTest(requirement: Requirement): Test {
  const path = requirement.key.split('.')
  return (stored) => holds(requirement, textAt(stored.resource, path))
}

function textAt(resource: Resource, path: readonly string[]): string {
  let value: unknown = resource
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return ''
    value = (value as Record<string, unknown>)[step]
  }
  return typeof value === 'string' ? value : ''
}
