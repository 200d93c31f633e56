import { equal } from '#domain/equal.ts'
import { badRequest, invalid } from '#domain/errors.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { compare } from '#domain/managed-fields/compare.ts'
import { type Author, type Entries, entryErrors, newEntry, readEntries } from '#domain/managed-fields/entry.ts'
import { placesOf } from '#domain/managed-fields/fields-of.ts'
import { ownAfterUpdate } from '#domain/managed-fields/own.ts'
import { type Fields, shapesOf } from '#domain/managed-fields/shape.ts'
import type { Metadata, Resource } from '#domain/object.ts'
import type { WriteContext } from '#registry/registry.ts'

/** The control plane's own writes, where they are accounted for. */
const ENGINE = 'stellwerk'

export interface Write {
  readonly kind: Kind
  readonly context: WriteContext
  readonly now: string
}

/** `metadata.managedFields` of an object a plain create makes. The engine's objects have none until someone applies. */
export function managedAfterCreate({ kind, context, now }: Write, resource: Resource): Entries | undefined {
  if (isEngine(context)) return undefined
  const entries = ownAfterUpdate([], compare(shapesOf(kind).main, {}, resource), authorOf(kind, context, 'Update'), now)
  return entries.length > 0 ? entries : undefined
}

export interface Replaced {
  readonly old: Resource
  readonly resource: Resource
  /** `metadata.managedFields` as the client sent them. */
  readonly sent: Metadata['managedFields']
}

/**
 * The same after a plain write. An object that has none is not accounted for until someone applies to it, as in
 * Kubernetes; and the engine's writes of a status nobody else ever wrote are accounted for when someone does (decision 10).
 */
export function managedAfterUpdate({ kind, context, now }: Write, replaced: Replaced): Entries | undefined {
  const { old, resource } = replaced
  const engine = isEngine(context)
  const stored = entriesOf(old)
  const entries = engine ? stored : sentEntries(kind, stored, replaced)
  if (entries.length === 0) return undefined
  const status = context.subresource === 'status'
  if (status && engine && !isStatusTracked(entries)) return entries
  const base = status ? withEngineStatus({ kind, context, now }, old, entries) : entries
  const changes = compare(shapeFor(kind, context), old, resource)
  if (changes.taken === undefined && changes.gone === undefined) return entries
  return ownAfterUpdate(base, changes, authorOf(kind, context, 'Update'), now)
}

export const shapeFor = (kind: Kind, { subresource }: WriteContext): Fields =>
  subresource === 'status' ? shapesOf(kind).status : shapesOf(kind).main

const isEngine = ({ user, fieldManager }: WriteContext): boolean => user.platform === true && fieldManager === undefined

export function authorOf(kind: Kind, context: WriteContext, operation: Author['operation']): Author {
  const manager = context.fieldManager ?? (context.user.platform === true ? ENGINE : 'unknown')
  return { manager, operation, apiVersion: apiVersionOf(kind), subresource: context.subresource }
}

export const entriesOf = ({ metadata }: Resource): Entries => (metadata.managedFields ?? []) as Entries

/** Clients may edit the entries, and reset them with `[{}]`; saying nothing about them, or `[]`, leaves them. */
function sentEntries(kind: Kind, stored: Entries, { old, sent }: Replaced): Entries {
  if (sent !== undefined && !Array.isArray(sent)) throw badRequest('metadata.managedFields must be a list')
  if (sent === undefined || sent.length === 0 || equal(sent, stored)) return stored
  if (sent.length === 1 && equal(sent[0], {})) return []
  const errors = entryErrors(sent)
  if (errors.length > 0) throw invalid(kind, old.metadata.name, errors)
  return readEntries(sent)
}

/** From then on the engine's writes of the status are accounted for too. */
const isStatusTracked = (entries: Entries): boolean =>
  entries.some(({ operation, subresource }) => operation === 'Apply' || subresource === 'status')

/** The entries, with the status that is there in the name of the engine if nobody has accounted for it so far. */
export function withEngineStatus({ kind, now }: Write, { status }: Resource, entries: Entries): Entries {
  if (status === undefined || isStatusTracked(entries)) return entries
  const fields = placesOf(shapesOf(kind).status, { status })
  const author: Author = { manager: ENGINE, operation: 'Update', apiVersion: apiVersionOf(kind), subresource: 'status' }
  return fields ? [...entries, newEntry(author, fields, now)] : entries
}

export function withManaged(resource: Resource, managedFields: Entries | undefined): Resource {
  if (!managedFields?.length && resource.metadata.managedFields === undefined) return resource
  const { managedFields: _, ...metadata } = resource.metadata
  return { ...resource, metadata: managedFields?.length ? { ...metadata, managedFields } : metadata }
}
