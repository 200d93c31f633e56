import { badRequest } from '#domain/errors.ts'
import type { FieldError } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import type { Metadata, OwnerReference } from '#domain/object.ts'
import { generateNameProblem, labelKeyProblem, labelProblem, labelValueProblem, subdomainProblem } from './names.ts'

/** Kubernetes accepts any number, and seconds of work per request with it. */
const MAX_LABELS = 256
const MAX_ANNOTATION_BYTES = 256 * 1024

const TEXT = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'selfLink'] as const
const TIMES = ['creationTimestamp', 'deletionTimestamp'] as const
const NUMBERS = ['generation', 'deletionGracePeriodSeconds'] as const
const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

type Values = Readonly<Record<string, unknown>>

/** Values of the wrong type are a malformed body, not an invalid object. @throws StatusError BadRequest */
export function checkMetadataTypes(kind: Kind, metadata: unknown): asserts metadata is Partial<Metadata> {
  const problem = typeProblem(metadata)
  if (problem)
    throw badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${problem}`)
}

function typeProblem(value: unknown): string | undefined {
  if (!isMap(value)) return `metadata must be an object, not ${nameOf(value)}`
  for (const field of TEXT)
    if (!isOptional(value[field], 'string')) return wrong(`metadata.${field}`, 'a string', value[field])
  for (const field of TIMES) {
    const time = value[field]
    if (time !== undefined && !(typeof time === 'string' && RFC_3339.test(time)))
      return wrong(`metadata.${field}`, 'an RFC 3339 time', time)
  }
  for (const field of NUMBERS) {
    const number = value[field]
    if (!isOptional(number, 'number') && typeof number !== 'bigint')
      return wrong(`metadata.${field}`, 'an integer', number)
  }
  return textsProblem(value) ?? ownersProblem(value['ownerReferences'])
}

function textsProblem(metadata: Values): string | undefined {
  for (const field of ['labels', 'annotations']) {
    const map = metadata[field] ?? {}
    if (!isMap(map)) return wrong(`metadata.${field}`, 'an object', map)
    for (const key of Object.keys(map))
      if (typeof map[key] !== 'string') return wrong(`metadata.${field}.${key}`, 'a string', map[key])
  }
  const finalizers = metadata['finalizers'] ?? []
  if (!Array.isArray(finalizers)) return wrong('metadata.finalizers', 'a list', finalizers)
  const other = finalizers.findIndex((item) => typeof item !== 'string')
  return other < 0 ? undefined : wrong(`metadata.finalizers[${other}]`, 'a string', finalizers[other])
}

function ownersProblem(owners: unknown = []): string | undefined {
  if (!Array.isArray(owners)) return wrong('metadata.ownerReferences', 'a list', owners)
  for (const [i, owner] of owners.entries()) {
    const at = `metadata.ownerReferences[${i}]`
    if (!isMap(owner)) return wrong(at, 'an object', owner)
    for (const field of ['apiVersion', 'kind', 'name', 'uid']) {
      if (!isOptional(owner[field], 'string')) return wrong(`${at}.${field}`, 'a string', owner[field])
    }
    for (const field of ['controller', 'blockOwnerDeletion']) {
      if (!isOptional(owner[field], 'boolean')) return wrong(`${at}.${field}`, 'a boolean', owner[field])
    }
  }
  return undefined
}

const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)
const isOptional = (value: unknown, type: string): boolean => value === undefined || typeof value === type
const nameOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`
const wrong = (at: string, expected: string, value: unknown): string =>
  `${at} must be ${expected}, not ${nameOf(value)}`

/** What Kubernetes says about names, labels, annotations, finalizers and owners; everything wrong at once. */
export function validateMetadata(kind: Kind, metadata: Partial<Metadata>): FieldError[] {
  return [
    ...nameErrors(kind, metadata),
    ...labelErrors(metadata.labels ?? {}),
    ...annotationErrors(metadata.annotations ?? {}),
    ...(metadata.finalizers ?? []).flatMap((f) => invalidValue('metadata.finalizers', f, labelKeyProblem(f))),
    ...ownerErrors(metadata.ownerReferences ?? []),
  ]
}

const NONE: readonly FieldError[] = []

function invalidValue(field: string, value: string, problem: string | undefined): readonly FieldError[] {
  if (problem === undefined) return NONE
  const shown = JSON.stringify(value.length > 300 ? `${value.slice(0, 300)}…` : value)
  return [{ reason: 'FieldValueInvalid', field, message: `Invalid value: ${shown}: ${problem}` }]
}

const isNamespace = (kind: Kind): boolean => kind.group === '' && kind.kind === 'Namespace'

function nameErrors(kind: Kind, { name = '', generateName, namespace }: Partial<Metadata>): FieldError[] {
  const errors: FieldError[] = []
  if (generateName)
    errors.push(...invalidValue('metadata.generateName', generateName, generateNameProblem(generateName)))
  if (name === '') {
    const message = 'Required value: name or generateName is required'
    errors.push({ reason: 'FieldValueRequired', field: 'metadata.name', message })
  } else
    errors.push(...invalidValue('metadata.name', name, isNamespace(kind) ? labelProblem(name) : subdomainProblem(name)))
  if (namespace) errors.push(...invalidValue('metadata.namespace', namespace, labelProblem(namespace)))
  return errors
}

function labelErrors(labels: Readonly<Record<string, string>>): FieldError[] {
  const keys = Object.keys(labels)
  if (keys.length > MAX_LABELS) {
    const message = `Too many: ${keys.length}: must have at most ${MAX_LABELS} items`
    return [{ reason: 'FieldValueTooMany', field: 'metadata.labels', message }]
  }
  const errors: FieldError[] = []
  for (const key of keys) {
    errors.push(...invalidValue('metadata.labels', key, labelKeyProblem(key)))
    errors.push(...invalidValue('metadata.labels', labels[key]!, labelValueProblem(labels[key]!)))
  }
  return errors
}

function annotationErrors(annotations: Readonly<Record<string, string>>): FieldError[] {
  const entries = Object.entries(annotations)
  let size = 0
  for (const [key, value] of entries) size += Buffer.byteLength(key) + Buffer.byteLength(value)
  if (size > MAX_ANNOTATION_BYTES) {
    const message = `Too long: must have at most ${MAX_ANNOTATION_BYTES} bytes`
    return [{ reason: 'FieldValueTooLong', field: 'metadata.annotations', message }]
  }
  return entries.flatMap(([key]) => invalidValue('metadata.annotations', key, labelKeyProblem(key.toLowerCase())))
}

function ownerErrors(owners: readonly OwnerReference[]): FieldError[] {
  const empty = owners.flatMap((owner) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((field) => !owner[field])
      .flatMap((field) =>
        invalidValue(
          `metadata.ownerReferences.${field}`,
          '',
          `${field === 'apiVersion' ? 'version' : field} must not be empty`,
        ),
      ),
  )
  const controllers = owners.filter((owner) => owner.controller === true).map((owner) => owner.name)
  if (controllers.length < 2) return empty
  const problem = `Only one reference can have Controller set to true. Found "true" in references for ${controllers.slice(0, 2).join(' and ')}`
  return [...empty, ...invalidValue('metadata.ownerReferences', controllers.join(', '), problem)]
}
