import { equal } from '#domain/equal.ts'
import { conflict, invalid, isStatus, notFound, StatusError } from '#domain/errors.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { type Entries, MAX_ENTRIES, newEntry, sameEntries } from '#domain/managed-fields/entry.ts'
import { placesOf } from '#domain/managed-fields/fields-of.ts'
import { applyConfiguration, type AppliedConfiguration } from '#domain/managed-fields/own.ts'
import type { Resource } from '#domain/object.ts'
import { createResource } from '#registry/create.ts'
import { resourceKey } from '#registry/keys.ts'
import { modifyResource } from '#registry/modify.ts'
import type { Namespaces } from '#registry/namespaces.ts'
import { stamp, type Parts } from '#registry/parts.ts'
import type { Body, Key, PatchBody, WriteContext, Written } from '#registry/registry.ts'
import { withoutOwnClientSide } from './client-side-apply.ts'
import { applyConflict } from './conflicts.ts'
import { withKnownSecrets } from './known-secrets.ts'
import { type AppliedBody, readConfiguration } from './read-configuration.ts'
import { authorOf, entriesOf, shapeFor, withEngineStatus, withManaged, type Write } from './track.ts'

export interface ApplyRequest {
  readonly kind: Kind
  readonly key: Key
  readonly patch: PatchBody
  readonly context: WriteContext
}

/** Objects come and go while we look; nobody is that unlucky more often. */
const ATTEMPTS = 5

/** Server-side apply. @throws StatusError Conflict when others own what would change, unless forced */
export async function applyResource(parts: Parts, namespaces: Namespaces, request: ApplyRequest): Promise<Written> {
  const { kind, key, patch, context } = request
  const body = readConfiguration(kind, key, patch, context)
  checkName(key, body)
  for (let attempt = 1; ; attempt++) {
    const exists = parts.store.get(resourceKey(kind, key)) !== undefined
    try {
      return exists ? await applyOver(parts, request, body) : await applyNew(parts, namespaces, request, body)
    } catch (error) {
      const overtaken = isStatus(error, exists ? 'NotFound' : 'AlreadyExists')
      if (!overtaken || context.subresource !== undefined || attempt >= ATTEMPTS) throw error
    }
  }
}

function checkName(key: Key, { metadata }: AppliedBody): void {
  if (metadata.name === key.name) return
  throw new StatusError(
    'BadRequest',
    metadata.name
      ? `the name of the object (${metadata.name}) does not match the name on the URL (${key.name})`
      : `the name of the object (${key.name} based on URL) was undeterminable: name must be provided`,
  )
}

async function applyNew(
  parts: Parts,
  namespaces: Namespaces,
  { kind, key, context }: ApplyRequest,
  { config, metadata, warnings }: AppliedBody,
): Promise<Written> {
  if (context.subresource !== undefined) throw notFound(kind, key.name)
  if (metadata.uid) {
    const why = `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`
    throw conflict(kind, key.name, why)
  }
  const now = stamp(parts.clock)
  const author = authorOf(kind, context, 'Apply')
  const shape = shapeFor(kind, context)
  const { entries } = applyConfiguration({ shape, live: undefined, config, entries: [], author, now })
  const named = { ...(config['metadata'] as object | undefined), name: key.name, namespace: metadata.namespace }
  const body = wholeBody(kind, { ...config, metadata: named })
  const manage = (resource: Resource): Resource => withManaged(resource, entries)
  const written = await createResource(parts, namespaces, { kind, namespace: key.namespace, body, context, manage })
  return withWarnings(written, warnings)
}

const wholeBody = (kind: Kind, object: object): Body => ({
  value: { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind },
  duplicates: [],
})

async function applyOver(parts: Parts, request: ApplyRequest, body: AppliedBody): Promise<Written> {
  const { kind, key, context } = request
  let applied: AppliedConfiguration | undefined
  const written = await modifyResource(parts, {
    kind,
    key,
    context,
    patch: true,
    propose: (live) => {
      applied = apply(parts, request, body, live)
      return wholeBody(kind, { ...applied.object, metadata: identified(applied.object as Resource, body) })
    },
    manage: (old, resource) => withManaged(resource, settledEntries(old, resource, applied?.entries ?? [])),
  })
  return withWarnings(written, body.warnings)
}

/** The live metadata under the identity the applier spoke of, so that a wrong one is refused like anyone's. */
function identified({ metadata }: Resource, { metadata: sent }: AppliedBody): object {
  const { managedFields: _, ...rest } = metadata
  return {
    ...rest,
    ...(sent.namespace ? { namespace: sent.namespace } : {}),
    ...(sent.uid ? { uid: sent.uid } : {}),
    ...(sent.resourceVersion ? { resourceVersion: sent.resourceVersion } : {}),
  }
}

/** When admission made of it what was there before, the object keeps its version and the entries their times. */
function settledEntries(old: Resource, resource: Resource, entries: Entries): Entries {
  const before = entriesOf(old)
  const plain = (object: Resource): Resource => withManaged(object, undefined)
  return sameEntries(entries, before) && equal(plain(old), plain(resource)) ? before : entries
}

function apply(parts: Parts, request: ApplyRequest, body: AppliedBody, live: Resource): AppliedConfiguration {
  const { kind, key, patch, context } = request
  const now = stamp(parts.clock)
  const author = authorOf(kind, context, 'Apply')
  const config = withKnownSecrets(parts.vault, kind, body.config, live)
  const entries = accounted({ kind, context, now }, live)
  const applied = applyConfiguration({ shape: shapeFor(kind, context), live, config, entries, author, now })
  const clashes = patch.force === true ? [] : withoutOwnClientSide(kind, author, live, applied.clashes)
  if (clashes.length > 0) throw applyConflict(clashes)
  if (applied.entries.length > MAX_ENTRIES) throw tooManyOwners(kind, key.name)
  return applied
}

/** With the first apply everything has an owner: whoever wrote an object nobody kept account of, and the engine its status. */
function accounted(write: Write, live: Resource): Entries {
  const stored = entriesOf(live)
  const fields =
    stored.length > 0 ? undefined : placesOf(shapeFor(write.kind, { ...write.context, subresource: undefined }), live)
  const author = { manager: 'before-first-apply', operation: 'Update', apiVersion: apiVersionOf(write.kind) } as const
  const entries = fields ? [newEntry(author, fields, write.now)] : stored
  return withEngineStatus(write, live, entries)
}

function tooManyOwners(kind: Kind, name: string): StatusError {
  const message = `Too many: must have at most ${MAX_ENTRIES} items: the fields of this object have too many owners`
  return invalid(kind, name, [{ reason: 'FieldValueTooMany', field: 'metadata.managedFields', message }])
}

function withWarnings(written: Written, warnings: readonly string[]): Written {
  if (warnings.length === 0) return written
  const { bytes, revision, created } = written
  return {
    bytes,
    revision,
    created,
    warnings: [...warnings, ...written.warnings],
    get resource() {
      return written.resource
    },
  }
}
