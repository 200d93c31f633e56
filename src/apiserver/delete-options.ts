import { badRequest } from '#domain/errors.ts'
import type { DeleteOptions } from '#registry/registry.ts'
import { booleanParameter, dryRunOf, integerParameter, invalidOption, oneOf, PROPAGATION } from './parameters.ts'
import type { Query } from './query.ts'

type Fields = Readonly<Record<string, unknown>>

const own = (body: Fields, field: string): unknown =>
  Object.hasOwn(body, field) ? (body[field] ?? undefined) : undefined

/** @throws StatusError Invalid, BadRequest */
export function parseDeleteOptions(
  query: Query,
  body: Fields | undefined,
): DeleteOptions & { readonly dryRun: boolean } {
  const fields = body ?? {}
  checkKind(fields)
  // Objects here have nothing to wind down, so a grace period is checked and then ignored.
  integerParameter(query, 'gracePeriodSeconds')
  optional(fields, 'gracePeriodSeconds', 'number')
  const dryRun = dryRunOf([...query.all('dryRun'), ...strings(fields, 'dryRun')], 'DeleteOptions')
  return { dryRun, propagationPolicy: propagation(query, fields), preconditions: preconditions(fields) }
}

function checkKind(fields: Fields): void {
  const kind = own(fields, 'kind')
  const apiVersion = own(fields, 'apiVersion')
  if (kind !== undefined && kind !== 'DeleteOptions') {
    throw badRequest(`the body of a DELETE must be of kind DeleteOptions, not ${JSON.stringify(kind)}`)
  }
  if (apiVersion !== undefined && typeof apiVersion !== 'string') throw badRequest('apiVersion must be a string')
}

function propagation(query: Query, fields: Fields): DeleteOptions['propagationPolicy'] {
  const given = optional(fields, 'propagationPolicy', 'string') ?? query.get('propagationPolicy')
  const policy = oneOf(given, { kind: 'DeleteOptions', field: 'propagationPolicy', values: PROPAGATION })
  const orphan = optional(fields, 'orphanDependents', 'boolean') ?? booleanParameter(query, 'orphanDependents')
  if (orphan === undefined) return policy
  if (policy !== undefined) {
    const why = `Invalid value: ${JSON.stringify(policy)}: orphanDependents and deletionPropagation cannot be both set`
    throw invalidOption('DeleteOptions', 'propagationPolicy', 'FieldValueInvalid', why)
  }
  return orphan ? 'Orphan' : 'Background'
}

function preconditions(fields: Fields): DeleteOptions['preconditions'] {
  const given = own(fields, 'preconditions')
  if (given === undefined) return undefined
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw badRequest('preconditions of DeleteOptions must be an object')
  }
  const values = given as Fields
  return { uid: optional(values, 'uid', 'string'), resourceVersion: optional(values, 'resourceVersion', 'string') }
}

interface Types {
  readonly string: string
  readonly number: number
  readonly boolean: boolean
}

function optional<T extends keyof Types>(fields: Fields, name: string, type: T): Types[T] | undefined {
  const value = own(fields, name)
  if (value === undefined) return undefined
  if (typeof value !== type) throw badRequest(`${name} of DeleteOptions must be a ${type}`)
  return value as Types[T]
}

function strings(fields: Fields, name: string): readonly string[] {
  const value = own(fields, name)
  if (value === undefined) return []
  if (Array.isArray(value) && value.every((v) => typeof v === 'string')) return value
  throw badRequest(`${name} of DeleteOptions must be a list of strings`)
}
