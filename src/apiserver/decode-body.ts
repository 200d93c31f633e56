import { badRequest, StatusError } from '#domain/errors.ts'
import { JsonError, parseJson, TooManyValues } from '#lib/json.ts'
import type { Body, PatchBody } from '#registry/registry.ts'
import { turnFor } from './large-bodies.ts'
import { mediaRange } from './negotiate.ts'
import { decodeProtobuf } from './protobuf/decode-protobuf.ts'
import { yamlAside } from './yaml-thread.ts'

/** YAML costs far more time per byte than JSON: up to a third of a second for so many. */
export const LARGEST_YAML = 128 * 1024

/**
 * Each value is looked at again and again, for ten microseconds and more all in all: a body of nothing else would hold up everybody
 * for seconds. So many are several times what an object of use has; a JSON patch may have as many operations as in Kubernetes.
 */
export const MOST_VALUES = 16_384
const MOST_PATCH_VALUES = 40_960

const unsupported = (accepted: string): StatusError =>
  new StatusError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  )

const typeOf = (header: string | undefined): string =>
  header === undefined || header === 'application/json' ? 'application/json' : mediaRange(header).type

/** A body without a type counts as JSON. @throws StatusError BadRequest, UnsupportedMediaType, RequestEntityTooLarge */
export async function decodeBody(bytes: Uint8Array, contentType: string | undefined): Promise<Body> {
  const type = typeOf(contentType)
  await turnFor(bytes.length)
  if (type === 'application/json') return decodeJson(bytes)
  if (type === 'application/yaml') return decodeYaml(bytes)
  const value = type === PROTOBUF ? decodeProtobuf(bytes) : undefined
  if (value === undefined) throw unsupported('application/json, application/yaml')
  return { value, duplicates: [] }
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf'

const PATCH_TYPES = new Map<string, PatchBody['type']>([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
])
const PATCHES = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml'

export function patchType(contentType: string | undefined): PatchBody['type'] {
  const type = PATCH_TYPES.get(contentType === undefined ? '' : mediaRange(contentType).type)
  if (type === undefined) throw unsupported(PATCHES)
  return type
}

export async function decodePatch(bytes: Uint8Array, type: PatchBody['type']): Promise<Body> {
  await turnFor(bytes.length)
  // kubectl labels JSON as YAML here; reading it as JSON is exact and many times faster.
  if (type === 'apply' && bytes[0] !== OPENING_BRACE) return decodeYaml(bytes)
  return decodeJson(bytes, type === 'json' ? MOST_PATCH_VALUES : MOST_VALUES)
}

const OPENING_BRACE = 0x7b

function decodeJson(bytes: Uint8Array, maxValues = MOST_VALUES): Body {
  if (bytes.length === 0) throw badRequest('the request body is empty; a JSON object was expected')
  try {
    return parseJson(bytes, { maxValues })
  } catch (error) {
    if (error instanceof TooManyValues) throw tooMany(error)
    if (error instanceof JsonError) throw badRequest(`the request body is ${error.message}`)
    throw error
  }
}

const tooMany = ({ reason }: TooManyValues): StatusError =>
  badRequest(`the request body ${reason}, which is the most that is read: divide it up`)

async function decodeYaml(bytes: Uint8Array): Promise<Body> {
  if (bytes.length > LARGEST_YAML) {
    throw new StatusError(
      'RequestEntityTooLarge',
      `a YAML body is limited to ${LARGEST_YAML} bytes; JSON may be larger`,
    )
  }
  const { json, duplicates } = await yamlAside('read', bytes)
  try {
    // The same limits and the same exactness as for JSON, by the same code.
    return { value: parseJson(json, { maxValues: MOST_VALUES }).value, duplicates }
  } catch (error) {
    if (error instanceof TooManyValues) throw tooMany(error)
    if (error instanceof JsonError) throw badRequest(`the request body has no JSON equivalent: ${error.reason}`)
    throw error
  }
}
