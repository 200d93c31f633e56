import type { Document } from 'yaml'
import { composeYaml, YamlMistake } from './compose-yaml.ts'
import { JsonError, parseJson } from './json.ts'

/** Why a document cannot be read, in words that fit after "the document". */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
}

export interface ReadDocument {
  readonly format: 'json' | 'yaml'
  readonly value: unknown
}

const DEEPEST = 200
const MOST_ALIASES = 1000
const OPENING = new Set([0x7b, 0x5b])
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * Reads one JSON or YAML document of a stranger; of YAML, scalars are texts. Whatever is ambiguous is refused: keys that are there twice, several
 * documents, cycles. Aliases are shared in the value, so a document of few bytes never becomes many.
 *
 * YAML takes seconds per ten megabytes: read large ones in a thread of their own.
 *
 * @throws DocumentError
 */
export function readDocument(bytes: Uint8Array): ReadDocument {
  const first = bytes.find((byte) => !BLANK.has(byte))
  if (first === undefined) throw new DocumentError('is empty')
  if (OPENING.has(first)) {
    const json = readJson(bytes)
    if (json !== undefined) return { format: 'json', value: json }
  }
  return { format: 'yaml', value: readYaml(bytes) }
}

/** Undefined: it may be YAML in flow style, which begins like JSON. */
function readJson(bytes: Uint8Array): unknown {
  try {
    const { value, duplicates } = parseJson(bytes, { maxDepth: DEEPEST })
    if (duplicates.length === 0) return value
    throw new DocumentError(`has the key ${duplicates[0]} twice: remove one of the two`)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    if (bytes.length > LARGEST_FLOW) throw new DocumentError(`is ${error.message}`)
    return undefined
  }
}

const LARGEST_FLOW = 256 * 1024

function readYaml(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  refuseDepth(text)
  refuseDensity(text)
  try {
    // Scalars stay the texts they were written as: a version of 1.10 is none of 1.1.
    const { document } = composeYaml(text, { schema: 'failsafe' })
    refuseTwins(document)
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES })
    refuseCycles(value)
    return value
  } catch (error) {
    if (error instanceof DocumentError) throw error
    if (error instanceof YamlMistake) throw new DocumentError(`is no YAML: ${error.message}`)
    if (error instanceof RangeError) throw new DocumentError('is nested too deeply')
    if (error instanceof ReferenceError && error.message.startsWith('Excessive alias count'))
      throw new DocumentError(
        `uses YAML aliases more than ${MOST_ALIASES} times, those inside others counted with them: write parts of it out, or send it as JSON`,
      )
    if (error instanceof Error) throw new DocumentError(`is no usable YAML: ${error.message.split('\n')[0]}`)
    throw error
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new DocumentError('is no valid UTF-8')
  }
}

/** Of what people write, one sign in five is a sign of YAML; a text of nothing else takes the reader ten times as long. */
function refuseDensity(text: string): void {
  if (text.length < DENSE_FROM) return
  const signs = text.match(/[\n:,\-?#[\]{}!]/g)?.length ?? 0
  if (signs > text.length / 3) throw new DocumentError('has more signs of YAML than words: send it as JSON')
}

const DENSE_FROM = 16 * 1024

/** Brackets open a level each, indentation at most one per column; the reader itself recurses. */
function refuseDepth(text: string): void {
  let open = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 0x5b || c === 0x7b) open++
    else if ((c === 0x5d || c === 0x7d) && open > 0) open--
    if (open > 1000) throw new DocumentError('is nested too deeply')
  }
  if (/(?:^|\n)[ ]*(?:[-?][ ]+){200}/.test(text) || /(?:^|\n) {4000}/.test(text))
    throw new DocumentError('is nested too deeply')
}

interface Node {
  readonly items?: readonly unknown[]
}

/** In linear time, and without following aliases. Merge keys may be there several times. */
function refuseTwins(document: Document): void {
  const stack: unknown[] = [document.contents]
  while (stack.length > 0) {
    const { items } = (stack.pop() ?? {}) as Node
    if (!Array.isArray(items)) continue
    const seen = new Set<string>(['<<'])
    for (const item of items as readonly unknown[]) stack.push(isPair(item) ? checkedValue(item, seen) : item)
  }
}

interface Pair {
  readonly key: { readonly value?: unknown } | null
  readonly value: unknown
}

const isPair = (item: unknown): item is Pair => typeof item === 'object' && item !== null && 'key' in item

function checkedValue({ key, value }: Pair, seen: Set<string>): unknown {
  const text = typeof key?.value === 'string' ? key.value : undefined
  if (text === undefined || text === '<<') return value
  if (seen.has(text))
    throw new DocumentError(
      `has the key ${JSON.stringify(text.slice(0, 80))} twice in one object: remove one of the two`,
    )
  seen.add(text)
  return value
}

/** Shared parts are looked at once; one that contains itself cannot be written as JSON. */
function refuseCycles(root: unknown): void {
  const done = new Set<object>()
  const path = new Set<object>()
  const stack: { readonly node: object; readonly rest: Iterator<unknown> }[] = []
  const enter = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || done.has(value)) return
    if (path.has(value)) throw new DocumentError('refers to itself through an alias: write out one of its parts')
    if (stack.length > DEEPEST) throw new DocumentError('is nested too deeply')
    path.add(value)
    stack.push({ node: value, rest: Object.values(value)[Symbol.iterator]() })
  }
  enter(root)
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.rest.next()
    if (next.done !== true) {
      enter(next.value)
      continue
    }
    stack.pop()
    path.delete(top.node)
    done.add(top.node)
  }
}
