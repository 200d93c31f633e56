import { isScalar, Lexer, visit, type Document, type Pair, type YAMLMap } from 'yaml'
import { badRequest } from '#domain/errors.ts'
import { type ComposedYaml, composeYaml, YamlMistake } from '#lib/compose-yaml.ts'
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
/** Twice as many as an object of the largest size has whose words are of usual length. */
const MOST_TOKENS = 65_536
const MOST_SIGNS = 32_768

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
  refuseDensity(text)
  refuseDepth(text)
  refuseAliases(text)
  try {
    return read(text)
  } catch (error) {
    if (error instanceof RangeError || error instanceof ReferenceError || error instanceof TypeError) {
      throw badRequest(
        error.message.startsWith('Excessive alias count')
          ? `the request body uses YAML aliases more than ${MOST_ALIASES} times, those inside others counted with them; write parts of it out, or send it as JSON`
          : `the request body is not usable YAML: ${error.message}`,
      )
    }
    throw error
  }
}

function read(text: string): ParsedYaml {
  const { document, lines } = composed(text)
  if (document.contents === null) throw badRequest('the request body is empty; a YAML object was expected')
  const duplicates = inspect(document, (offset) => `line ${lines.linePos(offset).line}`)
  return { value: document.toJS({ maxAliasCount: MOST_ALIASES }), duplicates }
}

function composed(text: string): ComposedYaml {
  try {
    return composeYaml(text, { intAsBigInt: true, mostTokens: MOST_TOKENS })
  } catch (error) {
    if (!(error instanceof YamlMistake)) throw error
    if (error.kind === 'long')
      throw badRequest(`the request body has ${error.message}; send it as JSON instead of YAML`)
    if (error.kind === 'several') throw badRequest('the request body has several YAML documents; send them one by one')
    throw badRequest(`the request body is not YAML: ${error.message}`)
  }
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

/** A glance that takes a hundredth of the time that reading would. Of text that people write, one sign in five is such a sign. */
function refuseDensity(text: string): void {
  const signs = text.match(/[\n:,\-?#[\]{}!]/g)?.length ?? 0
  if (signs > MOST_SIGNS)
    throw badRequest(`the request body has more than ${MOST_SIGNS} signs of YAML; send it as JSON instead`)
}

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
