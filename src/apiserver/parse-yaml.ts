import { isScalar, Lexer, LineCounter, parseDocument, visit, type Document, type Pair, type YAMLMap } from 'yaml'
import { badRequest } from '#domain/errors.ts'
import { encodeJson } from '#lib/json.ts'

export interface YamlAsJson {
  readonly json: string
  readonly duplicates: readonly string[]
}

interface ParsedYaml {
  readonly value: unknown
  readonly duplicates: readonly string[]
}

/** More levels than JSON may have are refused there; this only keeps the YAML reader's own recursion in bounds. */
const DEEPEST = 200
/** The reader's work grows with the square of these. */
const MOST_ALIASES = 100
const MOST_DUPLICATES = 100

/** One YAML document of a stranger, in the words of JSON. @throws StatusError BadRequest */
export function yamlToJson(bytes: Uint8Array): YamlAsJson {
  const { value, duplicates } = parseYaml(bytes)
  try {
    return { json: encodeJson(value), duplicates }
  } catch (error) {
    // The only thing YAML can say that the encoder cannot.
    if (error instanceof TypeError) throw badRequest('the request body refers to itself through an alias')
    throw error
  }
}

function parseYaml(bytes: Uint8Array): ParsedYaml {
  const text = decodeUtf8(bytes)
  refuseDepth(text)
  refuseAliases(text)
  try {
    return read(text)
  } catch (error) {
    if (error instanceof RangeError || error instanceof ReferenceError || error instanceof TypeError) {
      throw badRequest(`the request body is not usable YAML: ${error.message}`)
    }
    throw error
  }
}

/** Without the reader's own search for duplicates and its illustrated errors: both take the square of the length. */
function read(text: string): ParsedYaml {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { intAsBigInt: true, uniqueKeys: false, prettyErrors: false, lineCounter })
  const [broken] = document.errors
  if (broken?.code === 'MULTIPLE_DOCS')
    throw badRequest('the request body has several YAML documents; send them one by one')
  if (broken !== undefined) {
    const { line, col } = lineCounter.linePos(broken.pos[0])
    throw badRequest(`the request body is not YAML: ${broken.message} at line ${line}, column ${col}`)
  }
  if (document.contents === null) throw badRequest('the request body is empty; a YAML object was expected')
  const duplicates = inspect(document, (offset) => `line ${lineCounter.linePos(offset).line}`)
  return { value: document.toJS({ maxAliasCount: MOST_ALIASES }), duplicates }
}

/** Refuses what YAML can say and JSON cannot; where keys are there twice. */
function inspect(document: Document.Parsed, place: (offset: number) => string): readonly string[] {
  const duplicates: string[] = []
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'number' && !Number.isFinite(node.value)) {
        throw badRequest('the request body has a number JSON cannot hold: .inf and .nan are not supported')
      }
    },
    Map(_key, map) {
      for (const offset of repeatedKeys(map)) if (duplicates.length < MOST_DUPLICATES) duplicates.push(place(offset))
    },
  })
  return duplicates
}

function repeatedKeys(map: YAMLMap): readonly number[] {
  const seen = new Set<unknown>()
  const repeated: number[] = []
  for (const { key } of map.items as readonly Pair[]) {
    if (key === null) continue
    if (!isScalar(key)) throw badRequest('the request body has a key that is no text, which JSON cannot hold')
    const text = String(key.value)
    if (seen.has(text)) repeated.push(key.range?.[0] ?? 0)
    seen.add(text)
  }
  return repeated
}

/** Counted as the reader's own lexer sees them: in a text, an asterisk is an asterisk. */
function refuseAliases(text: string): void {
  if (!/[&*]/.test(text)) return
  let count = 0
  let isText = false
  for (const token of new Lexer().lex(text)) {
    if (!isText && /^[&*]/.test(token) && ++count > MOST_ALIASES)
      throw badRequest(`the request body has more than ${MOST_ALIASES} YAML anchors and aliases`)
    isText = token === SCALAR_FOLLOWS
  }
}

const SCALAR_FOLLOWS = '\u001f'

/** Brackets open one level each, indentation at most one per column. */
function refuseDepth(text: string): void {
  let brackets = 0
  let deepest = 0
  for (const c of text) {
    if (c === '[' || c === '{') deepest = Math.max(deepest, ++brackets)
    else if (c === ']' || c === '}') brackets = Math.max(0, brackets - 1)
  }
  const steps = /(?:^|\n)[ ]*(?:[-?][ ]+){200}/.test(text)
  if (deepest > DEEPEST || steps || /(?:^|\n) {2000}/.test(text)) {
    throw badRequest(`the request body is nested more than ${DEEPEST} levels deep`)
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw badRequest('the request body is not valid UTF-8')
  }
}
