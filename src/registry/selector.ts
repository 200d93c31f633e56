import { badRequest } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import { labelKeyProblem, labelValueProblem } from './names.ts'

/** A parsed label or field selector: all requirements hold. */
export type Selector = readonly Requirement[]

export interface Requirement {
  readonly key: string
  readonly operator: '=' | '!=' | 'in' | 'notin' | 'exists' | '!exists' | '>' | '<'
  readonly values: readonly string[]
}

/** Whole queries longer than this are nonsense, and the text is echoed into errors. */
const MAX_LENGTH = 16_384

/** @throws StatusError BadRequest with what was found and what would have been understood */
export function parseLabelSelector(text: string): Selector {
  if (text.length > MAX_LENGTH) throw badRequest(`the label selector is longer than ${MAX_LENGTH} characters`)
  const tokens = text.match(/[(),]|!=|==|=|!|[<>]|[^\s(),!=<>]+/g) ?? []
  if (tokens.length === 0) return []
  const reader = new TokenReader(tokens)
  const requirements = [readRequirement(reader)]
  while (!reader.done) {
    reader.expect(',', "',' or 'end of string'")
    requirements.push(readRequirement(reader))
  }
  return requirements
}

class TokenReader {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  get done(): boolean {
    return this.#at >= this.#tokens.length
  }

  peek(): string {
    return this.#tokens[this.#at] ?? ''
  }

  next(): string {
    return this.#tokens[this.#at++] ?? ''
  }

  expect(token: string, expected: string): void {
    if (this.next() !== token) throw unexpected(this.#tokens[this.#at - 1] ?? '', expected)
  }
}

const unexpected = (found: string, expected: string): Error =>
  badRequest(`unable to parse requirement: found '${found}', expected: ${expected}`)

const isWord = (token: string): boolean => token !== '' && !/^[(),!=<>]/.test(token)

function readRequirement(reader: TokenReader): Requirement {
  const negated = reader.peek() === '!'
  if (negated) reader.next()
  const key = reader.next()
  if (!isWord(key)) throw unexpected(key, "!, identifier, or 'end of string'")
  const problem = labelKeyProblem(key)
  if (problem) throw badRequest(`unable to parse requirement: invalid label key ${JSON.stringify(key)}: ${problem}`)
  if (negated) return { key, operator: '!exists', values: [] }
  if (reader.done || reader.peek() === ',') return { key, operator: 'exists', values: [] }
  return readComparison(reader, key)
}

function readComparison(reader: TokenReader, key: string): Requirement {
  const operator = reader.next()
  switch (operator) {
    case '=':
    case '==':
      return { key, operator: '=', values: [readValue(reader)] }
    case '!=':
      return { key, operator: '!=', values: [readValue(reader)] }
    case 'in':
    case 'notin':
      return { key, operator, values: readSet(reader) }
    case '>':
    case '<':
      return { key, operator, values: [readInteger(reader)] }
    default:
      throw unexpected(operator, 'in, notin, =, ==, !=, >, <')
  }
}

/** `a=` is a requirement too: the empty value. */
function readValue(reader: TokenReader): string {
  if (reader.done || reader.peek() === ',') return ''
  const value = reader.next()
  if (!isWord(value)) throw unexpected(value, 'identifier')
  return checkedValue(value)
}

function readInteger(reader: TokenReader): string {
  const value = readValue(reader)
  if (isInteger(value)) return value
  throw badRequest(`unable to parse requirement: > and < compare with an integer, not ${JSON.stringify(value)}`)
}

/** What a label can hold and 64 bits too, as in Kubernetes. */
export const isInteger = (text: string): boolean => /^\d{1,18}$/.test(text)

function readSet(reader: TokenReader): readonly string[] {
  reader.expect('(', "'('")
  const values: string[] = []
  for (;;) {
    values.push(isWord(reader.peek()) ? checkedValue(reader.next()) : '')
    const token = reader.next()
    if (token === ')') return values
    if (token !== ',') throw unexpected(token, "',' or ')'")
  }
}

function checkedValue(value: string): string {
  const problem = labelValueProblem(value)
  if (problem) throw badRequest(`unable to parse requirement: invalid label value ${JSON.stringify(value)}: ${problem}`)
  return value
}

/** Syntax alone; which fields a kind can be selected by is checked where the kind is known. @throws StatusError BadRequest */
export function parseFieldSelector(text: string): Selector {
  if (text.length > MAX_LENGTH) throw badRequest(`the field selector is longer than ${MAX_LENGTH} characters`)
  return splitTerms(text).map((term) => {
    const match = /^([^=!]+)(==|!=|=)(.*)$/s.exec(term)
    if (!match) throw badRequest(`invalid selector: ${JSON.stringify(text)}; can't understand ${JSON.stringify(term)}`)
    const [, key = '', operator, value = ''] = match
    return { key, operator: operator === '!=' ? '!=' : '=', values: [unescapeValue(value)] }
  })
}

/** A comma, an equals sign or a backslash inside a value is escaped with a backslash. */
const splitTerms = (text: string): readonly string[] => text.match(/(?:\\[\s\S]|[^,\\])+/g) ?? []

const unescapeValue = (value: string): string => value.replaceAll(/\\([\\,=])/g, '$1')

const COMMON_FIELDS = ['metadata.name', 'metadata.namespace']
const EVENT_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']
const CORE_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Event', [...EVENT_FIELDS.map((field) => `involvedObject.${field}`), 'reason', 'reportingComponent', 'type']],
  ['Namespace', ['status.phase']],
])

/** @throws StatusError BadRequest; the message names the fields this kind can be selected by */
export function checkFields(fields: Selector, kind: Pick<Kind, 'group' | 'kind'>): void {
  const own = kind.group === '' ? CORE_FIELDS.get(kind.kind) : undefined
  const supported = own ? [...COMMON_FIELDS, ...own] : COMMON_FIELDS
  const other = fields.find(({ key }) => !supported.includes(key))
  if (!other) return
  throw badRequest(`field label not supported: ${other.key} (${kind.kind} can be selected by ${supported.join(', ')})`)
}
