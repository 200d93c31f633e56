import { badRequest } from '#domain/errors.ts'
import { ENVELOPE, messageType, TYPE_META } from './messages.ts'
import { MalformedMessage, readFields } from './read-fields.ts'
import { readMessage } from './read-message.ts'

const MAGIC = Buffer.from('k8s\0')

/**
 * A body in Kubernetes' protobuf encoding as the JSON it stands for; undefined for a message we have no type for.
 * @throws StatusError BadRequest
 */
export function decodeProtobuf(bytes: Uint8Array): object | undefined {
  if (Buffer.compare(bytes.subarray(0, MAGIC.length), MAGIC) !== 0) return undefined
  try {
    return readEnvelope(bytes.subarray(MAGIC.length))
  } catch (error) {
    if (error instanceof MalformedMessage) throw badRequest(`the request body is not protobuf: ${error.message}`)
    throw error
  }
}

function readEnvelope(bytes: Uint8Array): object | undefined {
  let meta: { readonly apiVersion?: string; readonly kind?: string } = {}
  let raw: Uint8Array = new Uint8Array(0)
  for (const { number, value } of readFields(bytes)) {
    if (typeof value === 'bigint') continue
    if (number === ENVELOPE.typeMeta) meta = readMessage(value, TYPE_META)
    if (number === ENVELOPE.raw) raw = value
  }
  const { apiVersion = '', kind = '' } = meta
  const type = messageType(apiVersion, kind)
  return type && { apiVersion, kind, ...readMessage(raw, type) }
}
