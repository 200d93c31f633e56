/** The little of ASN.1's distinguished encoding rules that a certificate needs: each function makes one value. */
export type Der = Buffer

function tagged(tag: number, content: Uint8Array): Der {
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  if (length < 0x100) return Buffer.from([0x81, length])
  return Buffer.from([0x82, length >> 8, length & 0xff])
}

export const sequence = (...items: readonly Uint8Array[]): Der => tagged(0x30, Buffer.concat(items))
export const set = (...items: readonly Uint8Array[]): Der => tagged(0x31, Buffer.concat(items))
export const yes: Der = tagged(0x01, Buffer.from([0xff]))
export const octets = (content: Uint8Array): Der => tagged(0x04, content)
export const utf8 = (text: string): Der => tagged(0x0c, Buffer.from(text))
/** Context-specific: `[n]` around a constructed value, or in place of the tag of a primitive one. */
export const explicit = (n: number, content: Uint8Array): Der => tagged(0xa0 | n, content)
export const implicit = (n: number, content: Uint8Array): Der => tagged(0x80 | n, content)

/** A positive number, big-endian; a leading one-bit would make it negative. */
export function integer(bytes: Uint8Array): Der {
  const positive = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes
  return tagged(0x02, positive)
}

export const bits = (content: Uint8Array, unused = 0): Der =>
  tagged(0x03, Buffer.concat([Buffer.from([unused]), content]))

export function oid(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let rest = value >> 7; rest > 0; rest >>= 7) digits.unshift((rest & 0x7f) | 0x80)
  return digits
}

/** UTCTime until 2049, GeneralizedTime after it (RFC 5280 §4.1.2.5). */
export function time(ms: number): Der {
  const digits = `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-T:]/g, '')}Z`
  const generalized = Number(digits.slice(0, 4)) >= 2050
  return generalized ? tagged(0x18, Buffer.from(digits)) : tagged(0x17, Buffer.from(digits.slice(2)))
}
