import { MalformedMessage, readFields } from './read-fields.ts'

/** What a field of a message is called and holds. */
export interface FieldType {
  readonly name: string
  readonly type: 'text' | 'flag' | 'integer' | 'map' | MessageType
  readonly repeated?: boolean
}

/** By field number. Fields that are not listed are skipped: a newer client may know more than we do. */
export type MessageType = ReadonlyMap<number, FieldType>

type Value = string | boolean | number | bigint | object
type Pair = readonly [key: string, value: string]

const strict = new TextDecoder('utf-8', { fatal: true })

/**
 * The message as the JSON a client would have sent. Empty texts and messages are left out: the encoding Kubernetes uses
 * writes them whether they were set or not.
 * @throws MalformedMessage
 */
export function readMessage(bytes: Uint8Array, type: MessageType): object {
  const found = new Map<FieldType, Value[]>()
  for (const { number, value } of readFields(bytes)) {
    const field = type.get(number)
    if (field === undefined) continue
    const values = found.get(field)
    if (values === undefined) found.set(field, [readValue(value, field)])
    else values.push(readValue(value, field))
  }
  const fields = [...found].map(([field, values]) => [field.name, whole(field, values)] as const)
  return Object.fromEntries(fields.filter(([, value]) => !isEmpty(value)))
}

/** Of a single field that came twice the last one counts; Object.fromEntries takes any key as an ordinary one. */
function whole({ type, repeated }: FieldType, values: readonly Value[]): Value {
  if (type === 'map') return Object.fromEntries(values as readonly Pair[])
  return repeated === true ? values : (values.at(-1) ?? '')
}

function readValue(value: bigint | Uint8Array, { type }: FieldType): Value {
  if (type === 'flag') return numberOf(value) !== 0n
  if (type === 'integer') return integer(BigInt.asIntN(64, numberOf(value)))
  if (type === 'text') return text(bytesOf(value))
  return type === 'map' ? pair(bytesOf(value)) : readMessage(bytesOf(value), type)
}

function pair(bytes: Uint8Array): Pair {
  let key = ''
  let value = ''
  for (const field of readFields(bytes)) {
    if (field.number === 1) key = text(bytesOf(field.value))
    if (field.number === 2) value = text(bytesOf(field.value))
  }
  return [key, value]
}

const isEmpty = (value: Value): boolean =>
  value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

const integer = (value: bigint): number | bigint => {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

function text(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    throw new MalformedMessage('a text that is not UTF-8')
  }
}

function numberOf(value: bigint | Uint8Array): bigint {
  if (typeof value === 'bigint') return value
  throw new MalformedMessage('bytes where a number belongs')
}

function bytesOf(value: bigint | Uint8Array): Uint8Array {
  if (typeof value !== 'bigint') return value
  throw new MalformedMessage('a number where bytes belong')
}
