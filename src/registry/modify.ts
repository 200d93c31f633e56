import { equal } from '#domain/equal.ts'
import { badRequest, conflict, invalid, notFound } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import type { Entry, Op } from '#store/store.ts'
import { managedAfterUpdate, withManaged } from './apply/track.ts'
import { admitStatus, admitUpdate, checkIdentity, type Admitted } from './admission.ts'
import { applyFieldValidation, decodeBody, type Decoded } from './decode.ts'
import { mayBeRemoved } from './deletion.ts'
import { resourceKey } from './keys.ts'
import { stamp, type Parts } from './parts.ts'
import type { Body, Key, Stored, WriteContext, Written } from './registry.ts'
import { transact } from './store-errors.ts'
import { WrittenAnswer, preparePut, preview } from './written.ts'

export interface ModifyRequest {
  readonly kind: Kind
  readonly key: Key
  readonly context: WriteContext
  /** The whole object as it shall be, from the one that is there. */
  readonly propose: (current: Resource) => Body
  /** A patch says how to change whatever is there, so it is tried again when someone else was faster. */
  readonly patch: boolean
  /** Adds the account of who owns which fields; unless given, whoever writes owns what changed. */
  readonly manage?: (old: Resource, resource: Resource) => Resource
}

const ATTEMPTS = 5
const STALE = 'the object has been modified; please apply your changes to the latest version and try again'

/** Replaces an object or its status. @throws StatusError NotFound, Conflict, Invalid, BadRequest */
export async function modifyResource(parts: Parts, request: ModifyRequest): Promise<Written> {
  const { kind, key } = request
  for (let attempt = 1; ; attempt++) {
    const entry = parts.store.get(resourceKey(kind, key))
    if (!entry) throw notFound(kind, key.name)
    const written = await tryOnce(parts, request, entry)
    if (written) return written
    if (!request.patch || attempt >= ATTEMPTS) {
      if (!parts.store.get(resourceKey(kind, key))) throw notFound(kind, key.name)
      throw conflict(kind, key.name, STALE)
    }
  }
}

/** Undefined: someone else was faster. */
async function tryOnce(parts: Parts, request: ModifyRequest, entry: Entry): Promise<Written | undefined> {
  const { kind, context } = request
  const current = parts.cache.stored(entry)
  const old = current.resource
  const admitted = admit(parts, request, old)
  const { warnings } = admitted
  const resource = admitted.resource
  if (equal(resource, old)) return new WrittenAnswer(current, warnings, false)
  if (context.dryRun) return new WrittenAnswer(preview(resource, entry), warnings, false)
  const stored = await write(parts, kind, entry, {
    old,
    resource,
    sealings: admitted.sealings,
    beside: context.beside ?? [],
  })
  return stored && new WrittenAnswer(stored, warnings, false)
}

function admit(parts: Parts, request: ModifyRequest, old: Resource): Admitted {
  const { kind, key, context, propose, patch } = request
  const decoded = decodeBody(kind, propose(old))
  checkIdentity({ kind, key, patch }, decoded, old)
  checkVersion(kind, key, decoded, old)
  const warnings = applyFieldValidation(kind, decoded.remarks, context, patch)
  const draft = { kind, context, old }
  const admitted =
    context.subresource === 'status'
      ? admitStatus(parts, draft, decoded, warnings)
      : admitUpdate(parts, draft, decoded, warnings)
  return { ...admitted, resource: managed(parts, request, old, { decoded, admitted }) }
}

/** Under the version it replaces, so that it can be compared with what is there. */
function managed(
  parts: Parts,
  { kind, context, manage }: ModifyRequest,
  old: Resource,
  { decoded, admitted }: { readonly decoded: Decoded; readonly admitted: Admitted },
): Resource {
  const metadata = { ...admitted.resource.metadata, resourceVersion: old.metadata.resourceVersion }
  const resource = { ...admitted.resource, metadata }
  if (manage) return manage(old, resource)
  const sent = decoded.object.metadata.managedFields
  const how = { kind, context, now: stamp(parts.clock) }
  return withManaged(resource, managedAfterUpdate(how, { old, resource, sent }))
}

/** Custom resources are never replaced blindly: the version that was read has to be sent. */
function checkVersion(kind: Kind, key: Key, decoded: Decoded, old: Resource): void {
  const sent = decoded.object.metadata.resourceVersion
  if (!sent || sent === '0') {
    const message = 'Invalid value: 0x0: must be specified for an update'
    throw invalid(kind, key.name, [{ reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message }])
  }
  if (!/^\d+$/.test(sent)) {
    throw badRequest(
      `metadata.resourceVersion: Invalid value: ${JSON.stringify(sent.slice(0, 100))}: must be the number that was read`,
    )
  }
  if (sent !== old.metadata.resourceVersion) throw conflict(kind, key.name, STALE)
}

interface Replacement extends Pick<Admitted, 'resource' | 'sealings'> {
  readonly old: Resource
  readonly beside: readonly Op[]
}

/** Without its last finalizer an object that is being deleted goes with this very write. */
async function write(
  parts: Parts,
  kind: Kind,
  entry: Entry,
  { old, resource, sealings, beside }: Replacement,
): Promise<Stored | undefined> {
  const { key, revision } = entry
  if (mayBeRemoved(kind, resource)) {
    const ops = parts.vault.ops(kind, old, undefined, [])
    const outcome = await transact(parts.store, [{ type: 'delete', key, expect: revision }, ...ops])
    return outcome.ok
      ? { ...preview(resource, { ...entry, revision: outcome.revision }), revision: outcome.revision }
      : undefined
  }
  const put = preparePut(key, revision, resource)
  const outcome = await transact(parts.store, [put.op, ...parts.vault.ops(kind, old, resource, sealings), ...beside])
  return outcome.ok ? put.stored(parts.cache, outcome.revision) : undefined
}
