import { JsonError, TooManyValues } from './json-error.ts'

/** A JSON value. Integers beyond 2^53-1 that fit int64 or uint64 are `bigint`; every other number is a `number`. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [key: string]: Json }

/** The reader recurses once per level: this many levels are safe on the default stack, whatever a caller allows. */
const DEEPEST = 1000

/** A text with a million duplicates, or megabyte keys, must not become a report larger than the text. */
const MOST_DUPLICATES = 100
const LONGEST_SEGMENT = 256

/** V8 makes long slices views that keep the whole text alive; from texts above this size strings are copied instead. */
const LARGE_TEXT = 8192
const SHORTEST_VIEW = 13

const MAX_UINT64 = 2n ** 64n - 1n
const MIN_INT64 = -(2n ** 63n)

const END = -1
const QUOTE = 0x22
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const BACKSLASH = 0x5c

/** Reads one strict RFC 8259 text into a value; `duplicates` then holds the paths of the keys that came twice. */
export class JsonReader {
  readonly duplicates = new Set<string>()
  readonly #text: string
  readonly #maxDepth: number
  readonly #copies: boolean
  readonly #path: (string | number)[] = []
  #pos = 0
  #depth = 0
  readonly #maxValues: number
  #values = 0

  constructor(text: string, maxDepth: number, maxValues: number) {
    this.#text = text
    this.#maxDepth = Math.min(maxDepth, DEEPEST)
    this.#maxValues = maxValues
    this.#copies = text.length > LARGE_TEXT
  }

  readDocument(): Json {
    if (this.#text.charCodeAt(0) === 0xfeff) throw this.#error('starts with a byte order mark; remove it')
    const value = this.#value()
    if (this.#next() !== END) throw this.#error(`nothing may follow the value, but ${this.#found()}`)
    return value
  }

  #value(): Json {
    const code = this.#next()
    if (++this.#values > this.#maxValues) throw this.#tooMany()
    if (code === QUOTE) return this.#string()
    if (code === 0x7b) return this.#object()
    if (code === 0x5b) return this.#array()
    if (code === MINUS || (code >= ZERO && code <= NINE)) return this.#number(code)
    if (code === 0x74) return this.#word('true', true)
    if (code === 0x66) return this.#word('false', false)
    if (code === 0x6e) return this.#word('null', null)
    throw this.#error(`expected a value, but ${this.#found()}`)
  }

  #object(): Json {
    const depth = this.#enter()
    const target: Record<string, Json> = {}
    let code = this.#next()
    while (code !== 0x7d) {
      if (code !== QUOTE) throw this.#error(`expected a property name in double quotes, but ${this.#found()}`)
      const key = this.#string()
      if (this.#next() !== 0x3a) throw this.#error(`expected ":" after the property name, but ${this.#found()}`)
      this.#pos++
      this.#path[depth] = key
      const value = this.#value()
      // JSON has no undefined, so the cheap read settles all keys but those Object.prototype also has.
      if (target[key] !== undefined && Object.hasOwn(target, key)) this.#noteDuplicate()
      if (key === '__proto__') defineKey(target, key, value)
      else target[key] = value
      code = this.#separator(0x7d, '}')
    }
    this.#pos++
    this.#depth--
    return target
  }

  #array(): Json {
    const depth = this.#enter()
    const items: Json[] = []
    if (this.#next() === 0x5d) {
      this.#pos++
      this.#depth--
      return items
    }
    do {
      this.#path[depth] = items.length
      items.push(this.#value())
    } while (this.#separator(0x5d, ']', true) !== 0x5d)
    this.#pos++
    this.#depth--
    return items
  }

  /** After a member: past a comma to the next member, or onto the closing bracket; `{"a":1,}` is refused here. */
  #separator(close: number, closeText: string, anyValue = false): number {
    const code = this.#next()
    if (code === close) return code
    if (code !== 0x2c) throw this.#error(`expected "," or "${closeText}", but ${this.#found()}`)
    this.#pos++
    const next = this.#next()
    if (next === close) throw this.#error(`a trailing comma before "${closeText}" is not allowed`)
    return anyValue ? END : next
  }

  #enter(): number {
    if (this.#depth >= this.#maxDepth) throw this.#error(`nested deeper than ${this.#maxDepth} levels`)
    this.#pos++
    return this.#depth++
  }

  /** Skips white space; the code at the new position, or END. */
  #next(): number {
    const text = this.#text
    let pos = this.#pos
    while (pos < text.length) {
      const code = text.charCodeAt(pos)
      if (code > 0x20 || (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09)) {
        this.#pos = pos
        return code
      }
      pos++
    }
    this.#pos = pos
    return END
  }

  #word<T extends Json>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#pos)) throw this.#error(`expected a value, but ${this.#found()}`)
    this.#pos += word.length
    return value
  }

  #string(): string {
    const text = this.#text
    const start = this.#pos + 1
    let pos = start
    while (pos < text.length) {
      const code = text.charCodeAt(pos)
      if (code === QUOTE) {
        this.#pos = pos + 1
        return this.#slice(start, pos)
      }
      if (code === BACKSLASH) return this.#escapedString(start, pos)
      if (code < 0x20) throw this.#error('a control character in a string must be escaped', pos)
      pos++
    }
    throw this.#error('the string that starts here has no closing quote', start - 1)
  }

  #slice(start: number, end: number): string {
    if (!this.#copies || end - start < SHORTEST_VIEW) return this.#text.slice(start, end)
    return JSON.parse(this.#text.slice(start - 1, end + 1)) as string
  }

  #escapedString(start: number, firstEscape: number): string {
    const text = this.#text
    let pos = firstEscape
    while (pos < text.length) {
      const code = text.charCodeAt(pos)
      if (code === QUOTE) {
        this.#pos = pos + 1
        return JSON.parse(text.slice(start - 1, pos + 1)) as string
      }
      if (code < 0x20) throw this.#error('a control character in a string must be escaped', pos)
      pos += code === BACKSLASH ? this.#escapeLength(pos) : 1
    }
    throw this.#error('the string that starts here has no closing quote', start - 1)
  }

  #escapeLength(pos: number): number {
    const code = this.#text[pos + 1] ?? ''
    if (code !== 'u') {
      if (code !== '' && '"\\/bfnrt'.includes(code)) return 2
      throw this.#error(`"\\${code}" is not an escape of JSON`, pos)
    }
    const unit = this.#hex4(pos)
    if (unit < 0xd800 || unit > 0xdfff) return 6
    const low = unit < 0xdc00 && this.#text.startsWith('\\u', pos + 6) ? this.#hex4(pos + 6) : 0
    if (low >= 0xdc00 && low <= 0xdfff) return 12
    throw this.#error('half of a surrogate pair cannot be stored as UTF-8', pos)
  }

  #hex4(pos: number): number {
    const digits = this.#text.slice(pos + 2, pos + 6)
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#error('"\\u" needs four hexadecimal digits', pos)
    return Number.parseInt(digits, 16)
  }

  #number(first: number): number | bigint {
    const start = this.#pos
    const digits = first === MINUS ? start + 1 : start
    let end = this.#digits(digits)
    if (this.#text.charCodeAt(digits) === ZERO && end - digits > 1) throw this.#error('a number may not start with 0')
    const integerEnd = end
    if (this.#text.charCodeAt(end) === DOT) end = this.#digits(end + 1)
    if (end < this.#text.length && (this.#text.charCodeAt(end) | 0x20) === 0x65) {
      const sign = this.#text[end + 1]
      end = this.#digits(end + (sign === '+' || sign === '-' ? 2 : 1))
    }
    const value = Number(this.#text.slice(start, end))
    if (!Number.isFinite(value) && end !== integerEnd) throw this.#error('the number does not fit a double')
    const exact = end === integerEnd ? this.#integer(value, digits, end) : this.#fraction(value)
    this.#pos = end
    return exact === 0 ? 0 : exact
  }

  /** Past at least one digit. */
  #digits(start: number): number {
    let end = start
    while (end < this.#text.length) {
      const code = this.#text.charCodeAt(end)
      if (code < ZERO || code > NINE) break
      end++
    }
    if (end > start) return end
    this.#pos = start
    throw this.#error(`expected a digit, but ${this.#found()}`)
  }

  /** More than 20 digits are not even converted: BigInt is not linear in them. */
  #integer(value: number, digits: number, end: number): number | bigint {
    if (Number.isSafeInteger(value)) return value
    return this.#in64Bits(end - digits > 20 ? MAX_UINT64 + 1n : BigInt(this.#text.slice(this.#pos, end)))
  }

  /** `1e16` is written back as 10000000000000000, which is read as a bigint: it has to be one from the start. */
  #fraction(value: number): number | bigint {
    const writtenAsInteger = Number.isInteger(value) && Math.abs(value) < 1e21
    return writtenAsInteger && !Number.isSafeInteger(value) ? this.#in64Bits(BigInt(String(value))) : value
  }

  #in64Bits(value: bigint): bigint {
    if (value >= MIN_INT64 && value <= MAX_UINT64) return value
    throw this.#error('integer out of range: it fits neither int64 nor uint64')
  }

  #noteDuplicate(): void {
    if (this.duplicates.size >= MOST_DUPLICATES) return
    let path = ''
    for (const segment of this.#path.slice(0, this.#depth)) {
      if (typeof segment === 'number') path += `[${segment}]`
      else path += (path === '' ? '' : '.') + shorten(segment)
    }
    this.duplicates.add(path)
  }

  #found(): string {
    const point = this.#text.codePointAt(this.#pos)
    return point === undefined ? 'the text ends' : `found ${JSON.stringify(String.fromCodePoint(point))}`
  }

  #tooMany(): TooManyValues {
    return new TooManyValues(`has more than ${this.#maxValues} values`, this.#pos, this.#text.slice(0, this.#pos))
  }

  #error(reason: string, position = this.#pos): JsonError {
    return new JsonError(reason, position, this.#text.slice(0, position))
  }
}

/** Assignment of `__proto__` would replace the prototype; defining it makes the ordinary own key that was written. */
export function defineKey(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
}

function shorten(segment: string): string {
  return segment.length <= LONGEST_SEGMENT ? segment : `${segment.slice(0, LONGEST_SEGMENT)}…`
}
