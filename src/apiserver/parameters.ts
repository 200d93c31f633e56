import { badRequest, invalid, type CauseReason, type StatusError } from '#domain/errors.ts'
import type { DeleteOptions, ListOptions, WriteContext } from '#registry/registry.ts'
import type { Query } from './query.ts'

/** The kinds of options Kubernetes names in its errors about parameters. */
export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions' | 'ListOptions'

export function invalidOption(kind: OptionsKind, field: string, reason: CauseReason, message: string): StatusError {
  return invalid({ group: 'meta.k8s.io', kind, plural: kind }, '', [{ field, reason, message }])
}

const unsupportedValue = (kind: OptionsKind, field: string, value: string, supported: readonly string[]): StatusError =>
  invalidOption(
    kind,
    field,
    'FieldValueNotSupported',
    `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((s) => JSON.stringify(s)).join(', ')}`,
  )

/** `?watch` and `?watch=x` are true: only "false" and "0" say no, as in Kubernetes. */
export function booleanParameter(query: Query, name: string): boolean | undefined {
  const value = query.get(name)
  if (value === undefined) return undefined
  return value !== '0' && value.toLowerCase() !== 'false'
}

export function integerParameter(query: Query, name: string): number | undefined {
  const value = query.get(name)
  if (value === undefined || value === '') return undefined
  const number = Number(value)
  if (!/^[+-]?\d{1,15}$/.test(value)) throw badRequest(`the parameter ${name}=${quoted(value)} is not an integer`)
  return number
}

const quoted = (value: string): string => JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value)

export function oneOf<const V extends string>(
  value: string | undefined,
  options: { readonly kind: OptionsKind; readonly field: string; readonly values: readonly V[] },
): V | undefined {
  if (value === undefined || value === '') return undefined
  const found = options.values.find((v) => v === value)
  if (found === undefined) throw unsupportedValue(options.kind, options.field, value.slice(0, 100), options.values)
  return found
}

export function dryRunOf(values: readonly string[], kind: OptionsKind): boolean {
  for (const value of values) if (value !== 'All') throw unsupportedValue(kind, 'dryRun', value.slice(0, 100), ['All'])
  return values.length > 0
}

const FIELD_VALIDATION = ['Ignore', 'Strict', 'Warn'] as const

/** The parameters of create, update and patch. `agent` names the writer when it does not name itself. */
export function writeParameters(
  query: Query,
  kind: OptionsKind,
  agent: string | undefined,
): Omit<WriteContext, 'user'> {
  return {
    dryRun: dryRunOf(query.all('dryRun'), kind),
    fieldValidation: oneOf(query.get('fieldValidation'), { kind, field: 'fieldValidation', values: FIELD_VALIDATION }),
    fieldManager: fieldManager(query.get('fieldManager'), kind) ?? managerOf(agent),
  }
}

function fieldManager(value: string | undefined, kind: OptionsKind): string | undefined {
  if (value === undefined || value === '') return undefined
  if (Buffer.byteLength(value) > 128) {
    throw invalidOption(kind, 'fieldManager', 'FieldValueTooLong', 'Too long: must have at most 128 bytes')
  }
  if (!PRINTABLE.test(value)) {
    const why = `Invalid value: ${JSON.stringify(value)}: should only contain printable characters`
    throw invalidOption(kind, 'fieldManager', 'FieldValueInvalid', why)
  }
  return value
}

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u

/** `kubectl/v1.32.4 (linux/amd64)` is the manager `kubectl`. */
function managerOf(agent: string | undefined): string | undefined {
  const name = agent?.split('/', 1)[0]?.slice(0, 128)
  return name === undefined || name === '' || !PRINTABLE.test(name) ? undefined : name
}

type Window = Pick<ListOptions, 'resourceVersion' | 'resourceVersionMatch' | 'limit' | 'continue'>

export function windowParameters(query: Query): Window {
  const kind: OptionsKind = 'ListOptions'
  const limit = integerParameter(query, 'limit')
  integerParameter(query, 'timeoutSeconds')
  return {
    resourceVersion: query.get('resourceVersion') || undefined,
    resourceVersionMatch: oneOf(query.get('resourceVersionMatch'), {
      kind,
      field: 'resourceVersionMatch',
      values: ['Exact', 'NotOlderThan'],
    }),
    limit: limit !== undefined && limit > 0 ? limit : undefined,
    continue: query.get('continue') || undefined,
  }
}

export const PROPAGATION = [
  'Foreground',
  'Background',
  'Orphan',
] as const satisfies readonly DeleteOptions['propagationPolicy'][]
