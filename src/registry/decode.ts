import { badRequest, invalid, StatusError } from '#domain/errors.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import type { Metadata, Resource } from '#domain/object.ts'
import { normalize } from '#domain/structural.ts'
import { checkMetadataTypes } from './metadata.ts'
import type { Body, WriteContext } from './registry.ts'

/** A body in its stored form: of this kind, pruned and defaulted, its metadata of the right types; not yet valid. */
export interface Decoded {
  readonly object: Resource & { readonly metadata: Partial<Metadata> }
  /** Fields that were dropped or came twice, as Kubernetes words them. */
  readonly remarks: readonly string[]
}

/** @throws StatusError BadRequest, Invalid when the kind is another one */
export function decodeBody(kind: Kind, body: Body): Decoded {
  const { value } = body
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): a JSON object is expected`)
  }
  checkType(kind, value as Readonly<Record<string, unknown>>)
  const { object, unknown } = normalize(kind, value)
  const metadata: unknown = object.metadata ?? {}
  checkMetadataTypes(kind, metadata)
  const remarks =
    body.duplicates.length === 0 && unknown.length === 0
      ? []
      : [
          ...body.duplicates.map((path) => `duplicate field "${path}"`),
          ...unknown.map((path) => `unknown field "${path}"`),
        ]
  return { object: { ...object, metadata: metadata as Metadata }, remarks }
}

function checkType(kind: Kind, value: Readonly<Record<string, unknown>>): void {
  const { apiVersion = '', kind: name = '', metadata } = value
  if (typeof apiVersion !== 'string' || typeof name !== 'string')
    throw badRequest('apiVersion and kind must be strings')
  if (name === '')
    throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): Object 'Kind' is missing`)
  const expected = apiVersionOf(kind)
  if (apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${shorten(apiVersion)}) does not match the expected API version (${expected})`,
    )
  }
  if (name === kind.kind) return
  const message = `Invalid value: ${JSON.stringify(shorten(name))}: must be ${kind.kind}`
  const objectName = (metadata as { name?: unknown } | null | undefined)?.name
  throw invalid({ ...kind, kind: shorten(name) }, typeof objectName === 'string' ? shorten(objectName) : '', [
    { reason: 'FieldValueInvalid', field: 'kind', message },
  ])
}

const shorten = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text)

/** `remarks` as warnings, or as a refusal. A patch is refused as one, since the object as a whole was never sent. */
export function applyFieldValidation(
  kind: Kind,
  remarks: readonly string[],
  context: WriteContext,
  patch: boolean,
): readonly string[] {
  if (remarks.length === 0 || context.fieldValidation === 'Ignore') return []
  if (context.fieldValidation !== 'Strict') return remarks
  const text = `strict decoding error: ${remarks.join(', ')}`
  if (!patch) throw badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${text}`)
  const message = `Invalid value: "(patch)": ${text}`
  throw new StatusError('Invalid', `"" is invalid: patch: ${message}`, {
    causes: [{ reason: 'FieldValueInvalid', field: 'patch', message }],
  })
}
