import { isMap, property, textOf } from './parts.ts'

/** Findings beyond this many help nobody; neither does a document with more operations than we look at. */
const MOST_FINDINGS = 20
const MOST_OPERATIONS = 5000
const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])

/**
 * What a reader of this description would miss. Rules everyone agrees on: a title and a description, and for every operation
 * a name, words and at least one answer.
 */
export function lintDescription(document: unknown): readonly string[] {
  const info = property(document, 'info')
  const findings = ['title', 'description']
    .filter((field) => (textOf(property(info, field)) ?? '').trim() === '')
    .map((field) => `info.${field} is missing`)
  let left = MOST_OPERATIONS
  for (const [path, item] of entriesOf(property(document, 'paths')))
    for (const [method, operation] of entriesOf(item)) {
      if (!METHODS.has(method)) continue
      if (findings.length >= MOST_FINDINGS || left-- <= 0) return findings
      const lacks = lacksOf(operation)
      if (lacks.length > 0) findings.push(`${method.toUpperCase()} ${path.slice(0, 100)} has no ${lacks.join(', no ')}`)
    }
  return findings
}

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  isMap(value) ? Object.entries(value) : []

function lacksOf(operation: unknown): readonly string[] {
  const has = (field: string): boolean => (textOf(property(operation, field)) ?? '').trim() !== ''
  return [
    ...(has('operationId') ? [] : ['operationId']),
    ...(has('summary') || has('description') ? [] : ['summary']),
    ...(entriesOf(property(operation, 'responses')).length > 0 ? [] : ['responses']),
  ]
}
