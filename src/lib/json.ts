import { JsonError, TooManyValues } from './json-error.ts'
import { defineKey, type Json, JsonReader } from './json-reader.ts'

export { JsonError, TooManyValues, type Json }

export interface JsonLimits {
  /** Levels of arrays and objects; 128 unless given, never more than 1000. */
  readonly maxDepth?: number
  /** Objects, lists, texts, numbers and words, all together; no limit unless given. */
  readonly maxValues?: number
}

export interface ParsedJson {
  readonly value: Json
  /** Paths of the keys an object had twice (`spec.list[0].x`), each once, at most 100; the last value won. */
  readonly duplicates: readonly string[]
}

/**
 * Reads what a stranger sent: strict RFC 8259, and only what can be stored and sent again unchanged.
 *
 * Refused besides bad grammar: invalid UTF-8, a byte order mark, unpaired surrogates, numbers beyond a double, integers
 * beyond 64 bits, too many levels or values. `-0` becomes 0. `__proto__` is an ordinary own key of the object it was written in:
 * copy unknown keys with `setKey` only.
 *
 * @throws JsonError
 */
export function parseJson(text: string | Uint8Array, limits: JsonLimits = {}): ParsedJson {
  const { maxDepth = 128, maxValues = Infinity } = limits
  const reader = new JsonReader(typeof text === 'string' ? wellFormed(text) : decodeUtf8(text), maxDepth, maxValues)
  const value = reader.readDocument()
  return { value, duplicates: [...reader.duplicates] }
}

/** Like JSON.stringify, with bigints as plain integers; `undefined` properties are left out, own `__proto__` keys stay. */
export function encodeJson(value: unknown): string {
  const text = stringify(value)
  if (text === undefined) throw new TypeError(`a value of type ${typeof value} has no JSON text`)
  return text
}

/** Reads whatever `encodeJson` wrote: no limits and no checks beyond JSON.parse, and 64-bit integers stay exact. */
export function decodeTrusted(text: string | Uint8Array): Json {
  const string = typeof text === 'string' ? text : lossyUtf8.decode(text)
  if (!LONG_INTEGER.test(string)) return JSON.parse(string) as Json
  return JSON.parse(string, exactIntegers as (key: string, value: unknown) => unknown) as Json
}

// Digits after a quote, as in a hash, are no number: only those after what can precede one cost the slow way.
const LONG_INTEGER = /(?:^|[:,[\s])-?\d{16}/

/** A double of 2^64 or more that prints as digits stays one: it was never a bigint. */
function exactIntegers(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !/^-?\d+$/.test(context.source ?? '')) return value
  const exact = BigInt(context.source ?? '')
  return exact === BigInt.asIntN(64, exact) || exact === BigInt.asUintN(64, exact) ? exact : value
}

/** `target[key] = value` for keys a stranger chose: `__proto__` becomes an own key instead of the prototype. */
export function setKey(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') defineKey(target, key, value)
  else target[key] = value
}

/** Structural equality of JSON values: an `undefined` property is an absent one, `1n` equals `1`, key order is ignored. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return sameScalar(a, b)
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((x, i) => deepEqual(x, b[i]))
  }
  const left = a as Record<string, unknown>
  const right = b as Record<string, unknown>
  for (const key of Object.keys(left)) if (!deepEqual(left[key], ownValue(right, key))) return false
  for (const key of Object.keys(right)) if (right[key] !== undefined && !Object.hasOwn(left, key)) return false
  return true
}

/** An own `__proto__` key reads as such; an inherited one (`toString`) must not count as present. */
function ownValue(target: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(target, key) ? target[key] : undefined
}

function sameScalar(a: unknown, b: unknown): boolean {
  const numeric = (x: unknown): x is number | bigint => typeof x === 'number' || typeof x === 'bigint'
  return numeric(a) && numeric(b) && a == b
}

// A failed first try costs nothing to the many values without a bigint, where walking ahead would cost all of them.
function stringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? rawJson(String(item)) : item))
  }
}

// ES2026; Node 24 has it, the compiler's library does not yet.
const { rawJSON: rawJson } = JSON as typeof JSON & { rawJSON: (text: string) => unknown }

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lossyUtf8 = new TextDecoder('utf-8', { ignoreBOM: true })

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    const position = firstBadByte(bytes)
    throw new JsonError('not valid UTF-8', position, lossyUtf8.decode(bytes.subarray(0, position)))
  }
}

/** The start of the first sequence that is not UTF-8: every shorter prefix decodes, if perhaps not to its end. */
function firstBadByte(bytes: Uint8Array): number {
  const lossy = lossyUtf8.decode(bytes)
  let position = 0
  for (const point of lossy) {
    const written = point === '\ufffd' && !isReplacementCharacter(bytes, position) ? 0 : Buffer.byteLength(point)
    if (written === 0) return position
    position += written
  }
  return position
}

function isReplacementCharacter(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd
}

function wellFormed(text: string): string {
  if (text.isWellFormed()) return text
  const position = text.search(/\p{Surrogate}/u)
  throw new JsonError('half of a surrogate pair cannot be stored as UTF-8', position, text.slice(0, position))
}
