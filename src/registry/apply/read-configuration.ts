import { badRequest, invalid } from '#domain/errors.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { configuration } from '#domain/managed-fields/configuration.ts'
import { shapesOf } from '#domain/managed-fields/shape.ts'
import type { Metadata } from '#domain/object.ts'
import { applyFieldValidation } from '#registry/decode.ts'
import { checkMetadataTypes } from '#registry/metadata.ts'
import type { Key, PatchBody, WriteContext } from '#registry/registry.ts'

type Values = Readonly<Record<string, unknown>>

/** The body of an apply: what its author wants to own, and what it says about which object it means. */
export interface AppliedBody {
  /** Only what this write can own: without the status, or the status alone. */
  readonly config: Values
  readonly metadata: Partial<Metadata>
  readonly warnings: readonly string[]
}

/** @throws StatusError BadRequest, Invalid */
export function readConfiguration(kind: Kind, key: Key, patch: PatchBody, context: WriteContext): AppliedBody {
  const { value } = patch
  if (!isMap(value)) throw badRequest('error decoding the apply patch: an object is expected')
  checkType(kind, value)
  const metadata: unknown = value['metadata'] ?? {}
  checkMetadataTypes(kind, withoutNulls(metadata))
  const { managedFields } = metadata as Values
  if (managedFields !== undefined && managedFields !== null) throw badRequest('metadata.managedFields must be nil')
  const remarks = patch.duplicates.map((path) => `duplicate field "${path}"`)
  const warnings = applyFieldValidation(kind, remarks, context, true)
  return { config: ownable(kind, key, value, context), metadata: withoutNulls(metadata) as Partial<Metadata>, warnings }
}

const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)

function withoutNulls(metadata: unknown): unknown {
  if (!isMap(metadata)) return metadata
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null))
}

function checkType(kind: Kind, { apiVersion, kind: name }: Values): void {
  const expected = apiVersionOf(kind)
  if (apiVersion !== expected) {
    const sent = typeof apiVersion === 'string' ? apiVersion.slice(0, 300) : ''
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${sent}, expected: ${expected}`,
    )
  }
  if (name === kind.kind) return
  const sent = typeof name === 'string' ? name.slice(0, 300) : ''
  throw badRequest(`Incorrect kind specified in apply patch. Specified patch kind: ${sent}, expected: ${kind.kind}`)
}

/** Whoever applies a field wants to own it, so a field that cannot be kept is refused whatever `fieldValidation` says. */
function ownable(kind: Kind, key: Key, value: Values, { subresource }: WriteContext): Values {
  const { value: config, unknown, errors } = configuration(shapesOf(kind).whole, value)
  if (unknown.length > 0) {
    const where = `${key.namespace}/${key.name}; ${apiVersionOf(kind)}, Kind=${kind.kind}`
    const fields = unknown.map((path) => `${path}: field not declared in schema`)
    throw badRequest(`failed to create typed patch object (${where}): ${fields.join(', ')}`)
  }
  if (errors.length > 0) throw invalid(kind, key.name, errors)
  const { status, ...main } = config
  if (subresource !== 'status') return main
  return status === undefined ? {} : { status }
}
