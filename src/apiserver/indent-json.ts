const BYTE = { quote: 0x22, backslash: 0x5c, comma: 0x2c, colon: 0x3a, newline: 0x0a, space: 0x20 }
const OPENING = new Set([0x7b, 0x5b])
const CLOSING = new Set([0x7d, 0x5d])

/** Deeper levels keep this margin: otherwise a small object could be made into an enormous answer. */
const DEEPEST = 20

/** JSON without white space, part by part, becomes JSON with two spaces per level, as Go and Kubernetes write it. */
export function* indented(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
  const indenter = new Indenter()
  for (const part of parts) yield indenter.add(part)
}

export const indentJson = (bytes: Uint8Array): Uint8Array => new Indenter().add(bytes)

class Indenter {
  #out = Buffer.allocUnsafe(0)
  #length = 0
  #depth = 0
  #inText = false
  #escaped = false
  /** Right after an opening bracket: a closing one is written beside it. */
  #opened = false

  add(part: Uint8Array): Uint8Array {
    this.#out = Buffer.allocUnsafe(part.length * 2)
    this.#length = 0
    for (const byte of part) {
      if (this.#inText) this.#text(byte)
      else this.#structure(byte)
    }
    return this.#out.subarray(0, this.#length)
  }

  #text(byte: number): void {
    this.#put(byte)
    if (this.#escaped) this.#escaped = false
    else if (byte === BYTE.backslash) this.#escaped = true
    else if (byte === BYTE.quote) this.#inText = false
  }

  #structure(byte: number): void {
    if (CLOSING.has(byte)) {
      this.#depth--
      if (!this.#opened) this.#newLine()
    } else if (this.#opened) {
      this.#newLine()
    }
    this.#opened = OPENING.has(byte)
    this.#inText = byte === BYTE.quote
    if (this.#opened) this.#depth++
    this.#put(byte)
    if (byte === BYTE.comma) this.#newLine()
    else if (byte === BYTE.colon) this.#put(BYTE.space)
  }

  #newLine(): void {
    this.#put(BYTE.newline)
    for (let i = 0; i < Math.min(this.#depth, DEEPEST) * 2; i++) this.#put(BYTE.space)
  }

  #put(byte: number): void {
    if (this.#length === this.#out.length) this.#out = Buffer.concat([this.#out], this.#length * 2 + 64)
    this.#out[this.#length++] = byte
  }
}
