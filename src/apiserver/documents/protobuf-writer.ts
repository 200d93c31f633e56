/** The little of Protocol Buffers that is needed to write: fields become bytes, messages are their concatenation. */
export type Bytes = Uint8Array

const NOTHING: Bytes = new Uint8Array(0)

export const message = (...fields: readonly (Bytes | readonly Bytes[])[]): Bytes => Buffer.concat(fields.flat())

/** Wire type 2: a string, bytes or a message. */
export function field(number: number, content: Bytes): Bytes {
  return Buffer.concat([varint((number << 3) | 2), varint(content.length), content])
}

/** Absent when undefined. */
export const text = (number: number, value: string | undefined): Bytes =>
  value === undefined ? NOTHING : field(number, Buffer.from(value))

/** Absent when false: the default of proto3. */
export const flag = (number: number, value: boolean | undefined): Bytes =>
  value === true ? Buffer.concat([varint(number << 3), varint(1)]) : NOTHING

/** Wire type 0; absent when undefined. */
export const integer = (number: number, value: number | undefined): Bytes =>
  value === undefined ? NOTHING : Buffer.concat([varint(number << 3), varint(value)])

/** Wire type 1; absent when undefined. */
export function double(number: number, value: number | undefined): Bytes {
  if (value === undefined) return NOTHING
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return Buffer.concat([varint((number << 3) | 1), bytes])
}

function varint(value: number): Bytes {
  const bytes: number[] = []
  let rest = value
  while (rest > 127) {
    bytes.push((rest % 128) | 128)
    rest = Math.floor(rest / 128)
  }
  return Uint8Array.from([...bytes, rest])
}
