import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { labelsText } from './resource-bytes.ts'
import type { ListOptions, Stored } from './registry.ts'
import { checkFields, isInteger, type Requirement, type Selector } from './selector.ts'

/** Which objects of a kind a list or a watch is about. */
export interface Filter {
  readonly namespace: string | undefined
  /** Set when only one name can match. */
  readonly name: string | undefined
  /** Whether every object in scope matches. */
  readonly everything: boolean
  /** Parses the object only for fields other than its name. */
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

/**
 * Label keys and values need no escaping in JSON and hold no quotes, so `"key":"value"` in the text of the labels is that
 * label: no object has to be parsed for a label selector.
 */
function labelTest(requirement: Requirement): Test {
  const { key, operator, values } = requirement
  if (operator === '>' || operator === '<') return orderTest(requirement)
  const anyValue = operator === 'exists' || operator === '!exists'
  const needles = anyValue ? [`"${key}":"`] : values.map((value) => `"${key}":"${value}"`)
  const wanted = operator === '=' || operator === 'in' || operator === 'exists'
  return ({ bytes }) => {
    const text = labelsText(bytes)
    return needles.some((needle) => text.includes(needle)) === wanted
  }
}

/** A label that is absent or no integer is neither greater nor less. */
function orderTest({ key, operator, values }: Requirement): Test {
  const start = `"${key}":"`
  const bound = BigInt(values[0] ?? '')
  return ({ bytes }) => {
    const text = labelsText(bytes)
    const at = text.indexOf(start)
    if (at < 0) return false
    const value = text.slice(at + start.length, text.indexOf('"', at + start.length))
    if (!isInteger(value)) return false
    return operator === '>' ? BigInt(value) > bound : BigInt(value) < bound
  }
}

/** An absent field equals the empty string, as Kubernetes reads field selectors. */
function fieldTest(requirement: Requirement): Test {
  const path = requirement.key.split('.')
  const { operator, values } = requirement
  return (stored) => values.includes(textAt(stored.resource, path)) === (operator === '=')
}

function textAt(resource: Resource, path: readonly string[]): string {
  let value: unknown = resource
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return ''
    value = (value as Record<string, unknown>)[step]
  }
  return typeof value === 'string' ? value : ''
}
