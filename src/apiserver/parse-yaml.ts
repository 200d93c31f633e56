import { parseAllDocuments, visit, type Document } from 'yaml'
import { badRequest } from '#domain/errors.ts'

export interface ParsedYaml {
  readonly value: unknown
  readonly duplicates: readonly string[]
}

/** More levels than JSON may have are refused there; this only keeps the YAML reader's own recursion in bounds. */
const DEEPEST = 200
const MOST_ALIASES = 100

/** One YAML document of a stranger. @throws StatusError BadRequest */
export function parseYaml(bytes: Uint8Array): ParsedYaml {
  const text = decodeUtf8(bytes)
  refuseDepth(text)
  try {
    return read(text)
  } catch (error) {
    if (error instanceof RangeError || error instanceof ReferenceError || error instanceof TypeError) {
      throw badRequest(`the request body is not usable YAML: ${error.message}`)
    }
    throw error
  }
}

function read(text: string): ParsedYaml {
  const documents = parseAllDocuments(text, { intAsBigInt: true, version: '1.2' }) as Document.Parsed[]
  const [document] = documents
  if (document === undefined) throw badRequest('the request body is empty; a YAML object was expected')
  if (documents.length > 1) throw badRequest('the request body has several YAML documents; send them one by one')
  const duplicates = document.errors.filter((e) => e.code === 'DUPLICATE_KEY')
  const broken = document.errors.find((e) => e.code !== 'DUPLICATE_KEY')
  if (broken !== undefined) throw badRequest(`the request body is not YAML: ${broken.message.split('\n')[0]}`)
  refuseOddities(document)
  const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES })
  return { value, duplicates: duplicates.map((e) => `line ${e.linePos?.[0].line ?? 0}`) }
}

/** What YAML can say and JSON cannot. */
function refuseOddities(document: Document.Parsed): void {
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'number' && !Number.isFinite(node.value)) {
        throw badRequest('the request body has a number JSON cannot hold: .inf and .nan are not supported')
      }
    },
  })
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
