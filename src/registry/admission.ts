import { randomUUID } from 'node:crypto'
import { ENVIRONMENT_LABEL, environmentOf } from '#domain/environment.ts'
import { equal } from '#domain/equal.ts'
import { badRequest, conflict, forbidden, invalid, type FieldError } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import type { Metadata, Resource } from '#domain/object.ts'
import { validate, validateStatus } from '#domain/structural.ts'
import { applyFieldValidation, decodeBody, type Decoded } from './decode.ts'
import { validateMetadata } from './metadata.ts'
import { generateName } from './names.ts'
import { stamp, type Parts } from './parts.ts'
import type { Body, Key, WriteContext } from './registry.ts'
import { secretsIn, secretTree } from './secret-tree.ts'
import { isReference, type Protected } from './secrets.ts'

/** An admitted write: the object as it will be stored, but for the revision it gets. */
export interface Admitted {
  readonly resource: Resource
  readonly warnings: readonly string[]
  readonly sealings: Protected['sealings']
}

interface Draft {
  readonly kind: Kind
  readonly context: WriteContext
  readonly old: Resource | undefined
}

/** What is created, where, by whom. */
export interface CreateRequest {
  readonly kind: Kind
  readonly namespace: string
  readonly body: Body
  readonly context: WriteContext
}

export function admitCreate(parts: Parts, { kind, namespace, body, context }: CreateRequest): Admitted {
  const decoded = decodeBody(kind, body)
  const warnings = applyFieldValidation(kind, decoded.remarks, context, false)
  const sent = decoded.object.metadata
  checkNamespace(namespace, sent)
  if (sent.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created')
  const name = sent.name || (sent.generateName ? generateName(sent.generateName) : '')
  const metadata: Metadata = {
    ...placed(name, namespace, sent),
    uid: randomUUID(),
    resourceVersion: '',
    generation: 1,
    creationTimestamp: stamp(parts.clock),
    ...written(sent),
  }
  const { status: _, ...rest } = decoded.object
  return finish(parts, { kind, context, old: undefined }, { ...rest, metadata }, warnings)
}

/** The main write of an existing object: everything but the status. */
export function admitUpdate(
  parts: Parts,
  draft: Draft & { readonly old: Resource },
  decoded: Decoded,
  warnings: readonly string[],
): Admitted {
  const { old } = draft
  const { status: _, ...rest } = decoded.object
  const metadata: Metadata = { ...owned(old.metadata), ...written(decoded.object.metadata) }
  return finish(
    parts,
    draft,
    { ...rest, metadata, ...(old.status === undefined ? {} : { status: old.status }) },
    warnings,
  )
}

/** A write of the status alone: whatever else the body says is ignored. */
export function admitStatus(
  parts: Parts,
  draft: Draft & { readonly old: Resource },
  decoded: Decoded,
  warnings: readonly string[],
): Admitted {
  const { kind, old, context } = draft
  const { status: _, ...rest } = old
  const { status } = decoded.object
  const object: Resource = status === undefined ? rest : { ...rest, status }
  const result = parts.vault.protect({ kind, object, old, user: context.user })
  const errors = [...validateStatus(kind, { status }), ...result.errors]
  refuse(kind, old.metadata.name, excuseReferences(kind, errors, object))
  return { resource: result.object, warnings, sealings: result.sealings }
}

/** What is replaced; a patch was made from the object itself, so what it changes there it changes on purpose. */
export interface Target {
  readonly kind: Kind
  readonly key: Key
  readonly patch: boolean
}

/** What is asked of a body that replaces an object. @throws StatusError BadRequest, Conflict, Invalid */
export function checkIdentity({ kind, key, patch }: Target, decoded: Decoded, old: Resource): void {
  const sent = decoded.object.metadata
  if (!sent.name)
    throw badRequest(`the name of the object (${key.name} based on URL) was undeterminable: name must be provided`)
  if (sent.name !== key.name)
    throw badRequest(`the name of the object (${sent.name}) does not match the name on the URL (${key.name})`)
  checkNamespace(key.namespace, sent)
  if (sent.uid && sent.uid !== old.metadata.uid) {
    if (patch) throw invalid(kind, key.name, [immutable('uid', sent.uid)])
    throw conflict(
      kind,
      key.name,
      `Precondition failed: UID in precondition: ${sent.uid}, UID in object meta: ${old.metadata.uid}`,
    )
  }
  if (sent.deletionTimestamp && !old.metadata.deletionTimestamp) {
    throw invalid(kind, key.name, [immutable('deletionTimestamp', sent.deletionTimestamp)])
  }
}

const immutable = (field: string, value: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field: `metadata.${field}`,
  message: `Invalid value: ${JSON.stringify(value)}: field is immutable`,
})

function checkNamespace(namespace: string, sent: Partial<Metadata>): void {
  if (sent.namespace && sent.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
}

/** Name first, and nothing with quotes before the resourceVersion: `resource-bytes.ts` relies on it. */
function placed(name: string, namespace: string, { generateName: prefix }: Partial<Metadata>): Pick<Metadata, 'name'> {
  return { name, ...(namespace === '' ? {} : { namespace }), ...(prefix ? { generateName: prefix } : {}) }
}

/** The part of metadata that the server owns and no body can change. */
function owned(old: Metadata): Metadata {
  const { labels: _l, annotations: _a, ownerReferences: _o, finalizers: _f, managedFields: _m, ...rest } = old
  return rest
}

/** The part of metadata that people write; what is empty is absent. */
function written(sent: Partial<Metadata>): Partial<Metadata> {
  const { labels, annotations, ownerReferences, finalizers } = sent
  return {
    ...(isEmpty(labels) ? {} : { labels }),
    ...(isEmpty(annotations) ? {} : { annotations }),
    ...(ownerReferences?.length ? { ownerReferences } : {}),
    ...(finalizers?.length ? { finalizers: [...new Set(finalizers)] } : {}),
  }
}

function isEmpty(map: object | undefined): boolean {
  for (const _ in map) return false
  return true
}

/** The steps every main write passes once it is clear what it writes. */
function finish(parts: Parts, { kind, context, old }: Draft, object: Resource, warnings: readonly string[]): Admitted {
  const { name } = object.metadata
  const errors = [
    ...validateMetadata(kind, object.metadata),
    ...finalizerErrors(old, object),
    ...validate(kind, object),
  ]
  const secured = parts.vault.protect({ kind, object, old, user: context.user })
  refuse(kind, name, excuseReferences(kind, [...errors, ...secured.errors], object))
  const judged = judge(parts, { kind, context, old }, secured.object)
  const labelled = withEnvironment(kind, judged.resource)
  return {
    resource: withGeneration(labelled, old),
    warnings: [...warnings, ...judged.warnings],
    sealings: secured.sealings,
  }
}

function refuse(kind: Kind, name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(kind, name, errors)
}

/**
 * A reference stands for a value that was valid when it was given; only vault errors speak about references. Where a kind
 * has no secret, a text that looks like a reference is a text like any other.
 */
function excuseReferences(kind: Kind, errors: readonly FieldError[], object: Resource): readonly FieldError[] {
  const tree = errors.length === 0 ? undefined : secretTree(kind)
  if (tree === undefined) return errors
  const secrets = secretsIn(tree, object).filter(({ text }) => isReference(text))
  const places = new Set(secrets.map(({ path }) => path))
  return errors.filter(({ field, message }) => message.includes('"$<…>"') || !places.has(field))
}

function finalizerErrors(old: Resource | undefined, object: Resource): readonly FieldError[] {
  if (!old?.metadata.deletionTimestamp) return []
  const before = old.metadata.finalizers ?? []
  const added = (object.metadata.finalizers ?? []).filter((finalizer) => !before.includes(finalizer))
  if (added.length === 0) return []
  const message = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`
  return [{ reason: 'FieldValueForbidden', field: 'metadata.finalizers', message }]
}

/** The kind's own rules; they see the object defaulted, valid, and with references in place of secrets. */
function judge(parts: Parts, { kind, context, old }: Draft, object: Resource): Pick<Admitted, 'resource' | 'warnings'> {
  if (!kind.admit) return { resource: object, warnings: [] }
  const operation = old ? 'update' : 'create'
  const verdict = kind.admit({ operation, object, old, user: context.user, now: stamp(parts.clock) })
  if (verdict.forbidden !== undefined) throw forbidden(kind, object.metadata.name, verdict.forbidden)
  refuse(kind, object.metadata.name, verdict.errors ?? [])
  return { resource: verdict.object, warnings: verdict.warnings ?? [] }
}

/** Decisions §3: where the namespace names an environment, the label says the same, whatever was sent. */
function withEnvironment(kind: Kind, object: Resource): Resource {
  const { namespace = '', labels } = object.metadata
  if (kind.scope === 'Cluster' || namespace.indexOf('--') <= 0) return object
  const environment = environmentOf(namespace)
  if (labels?.[ENVIRONMENT_LABEL] === environment) return object
  return { ...object, metadata: { ...object.metadata, labels: { ...labels, [ENVIRONMENT_LABEL]: environment } } }
}

/** One more whenever anything but metadata and status changes. */
function withGeneration(object: Resource, old: Resource | undefined): Resource {
  if (!old) return object
  const strip = (resource: Resource): unknown => ({ ...resource, metadata: undefined, status: undefined })
  if (equal(strip(object), strip(old))) return object
  return { ...object, metadata: { ...object.metadata, generation: (old.metadata.generation ?? 0) + 1 } }
}
