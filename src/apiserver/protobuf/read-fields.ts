/** A field as it stands on the wire: what it means only a message type knows. */
export interface WireField {
  readonly number: number
  readonly value: bigint | Uint8Array
}

/** The bytes are no message. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage'
}

const VARINT = 0
const FIXED_64 = 1
const LENGTH = 2
const FIXED_32 = 5

/** @throws MalformedMessage */
export function* readFields(bytes: Uint8Array): Generator<WireField> {
  let at = 0
  while (at < bytes.length) {
    const tag = readVarint(bytes, at)
    const number = Number(tag.value >> 3n)
    if (number === 0) throw new MalformedMessage(`field 0 at byte ${at}`)
    const field = readValue(bytes, tag.end, Number(tag.value & 7n))
    at = field.end
    yield { number, value: field.value }
  }
}

interface Read<V> {
  readonly value: V
  readonly end: number
}

function readValue(bytes: Uint8Array, at: number, wireType: number): Read<bigint | Uint8Array> {
  switch (wireType) {
    case VARINT:
      return readVarint(bytes, at)
    case LENGTH: {
      const { value, end } = readVarint(bytes, at)
      return slice(bytes, end, value)
    }
    case FIXED_64:
      return slice(bytes, at, 8n)
    case FIXED_32:
      return slice(bytes, at, 4n)
    default:
      throw new MalformedMessage(`wire type ${wireType} at byte ${at}`)
  }
}

function slice(bytes: Uint8Array, at: number, length: bigint): Read<Uint8Array> {
  if (length > BigInt(bytes.length - at)) throw new MalformedMessage(`a field of ${length} bytes at byte ${at}`)
  const end = at + Number(length)
  return { value: bytes.subarray(at, end), end }
}

/** At most ten bytes: 64 bits. */
function readVarint(bytes: Uint8Array, from: number): Read<bigint> {
  let value = 0n
  for (let at = from; at < from + 10; at++) {
    const byte = bytes[at]
    if (byte === undefined) break
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - from))
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: at + 1 }
  }
  throw new MalformedMessage(`an unfinished number at byte ${from}`)
}
