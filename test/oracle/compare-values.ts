import type { Labels } from './labels.ts'

export interface ValueDifference {
  readonly path: string
  readonly expected: unknown
  readonly actual: unknown
}

export interface Comparison {
  readonly labels: Labels
  /** The recording holds a part only: what else is there does not matter. */
  readonly partial: boolean
}

type Values = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** How two answers differ in what clients rely on; the wording of messages is nobody's contract. */
export function compareValues(
  expected: unknown,
  actual: unknown,
  comparison: Comparison,
  path = '',
): ValueDifference[] {
  if (typeof expected === 'string') return texts(expected, actual, comparison, path)
  if (Array.isArray(expected)) return lists(expected, actual, comparison, path)
  if (isObject(expected)) return objects(expected, actual, comparison, path)
  return Object.is(expected, actual) ? [] : [{ path, expected, actual }]
}

const PLACEHOLDERS: Readonly<Record<string, RegExp>> = {
  '<time>': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  '<rv>': /^[1-9]\d*$/,
  '<continue>': /./,
  '<age>': /^\d+[smhd]/,
  '<string>': /^/,
}

function texts(expected: string, actual: unknown, { labels }: Comparison, path: string): ValueDifference[] {
  if (expected === '<addresses>') return actual === undefined ? [{ path, expected, actual }] : []
  const same = typeof actual === 'string' && sameText(expected, actual, labels)
  return same ? [] : [{ path, expected, actual }]
}

export function sameText(expected: string, actual: string, labels: Labels): boolean {
  if (expected === actual) return true
  if (/^(rv|uid)#\d+$/.test(expected)) return labels.match(expected, actual)
  if (Object.hasOwn(PLACEHOLDERS, expected)) return PLACEHOLDERS[expected]!.test(actual)
  if (!/<(rand|hash|volatile)>/.test(expected)) return false
  const pattern = expected
    .split(/<(?:rand|hash|volatile)>/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pattern.join('.+')}$`).test(actual)
}

function lists(expected: readonly unknown[], actual: unknown, comparison: Comparison, path: string): ValueDifference[] {
  if (!Array.isArray(actual)) return [{ path, expected, actual }]
  if (comparison.partial) return expected.flatMap((item) => contained(item, actual, comparison, path))
  if (expected.length !== actual.length) return [{ path: `${path}.length`, expected, actual }]
  return expected.flatMap((item, i) => compareValues(item, actual[i], comparison, `${path}[${i}]`))
}

const NAMES = ['name', 'resource', 'subresource', 'version', 'groupVersion']

/** Items of a part are found by their name. */
function contained(item: unknown, actual: readonly unknown[], comparison: Comparison, path: string): ValueDifference[] {
  const name = nameOf(item)
  const found = name === undefined ? actual.find((a) => a === item) : actual.find((a) => nameOf(a) === name)
  return found === undefined
    ? [{ path: `${path}[${name ?? String(item)}]`, expected: item, actual: undefined }]
    : compareValues(item, found, comparison, `${path}[${name ?? String(item)}]`)
}

function nameOf(item: unknown): string | undefined {
  if (!isObject(item)) return undefined
  const holder = isObject(item['metadata']) ? item['metadata'] : item
  const key = NAMES.find((k) => typeof holder[k] === 'string')
  return key === undefined ? undefined : (holder[key] as string)
}

function objects(expected: Values, actual: unknown, comparison: Comparison, path: string): ValueDifference[] {
  if (!isObject(actual)) return [{ path, expected, actual }]
  const names = new Set([...Object.keys(expected), ...(comparison.partial ? [] : Object.keys(actual))])
  return [...names].flatMap((name) => {
    const at = path === '' ? name : `${path}.${name}`
    if (!Object.hasOwn(expected, name)) return [{ path: at, expected: undefined, actual: actual[name] }]
    return compareValues(expected[name], Object.hasOwn(actual, name) ? actual[name] : undefined, comparison, at)
  })
}
