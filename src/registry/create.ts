import { alreadyExists, StatusError } from '#domain/errors.ts'
import type { Resource } from '#domain/object.ts'
import { admitCreate, type Admitted, type CreateRequest } from './admission.ts'
import { managedAfterCreate, withManaged } from './apply/track.ts'
import { resourceKey } from './keys.ts'
import type { Namespaces } from './namespaces.ts'
import { stamp, type Parts } from './parts.ts'
import type { Body, Written } from './registry.ts'
import { BEING_DELETED, mayHold } from './resource-bytes.ts'
import { transact } from './store-errors.ts'
import { WrittenAnswer, preparePut, preview } from './written.ts'

/** A generated name can be taken, and so can the namespace be made by someone else in between. */
const ATTEMPTS = 8

export interface Creation extends CreateRequest {
  /** Adds the account of who owns which fields; unless given, whoever creates owns all of them. */
  readonly manage?: (resource: Resource) => Resource
}

export async function createResource(parts: Parts, namespaces: Namespaces, request: Creation): Promise<Written> {
  for (let attempt = 1; ; attempt++) {
    const { namespace, body, context } = request
    const admitted = managed(parts, request, admitCreate(parts, request))
    if (context.dryRun) return dryRun(parts, namespaces, request, admitted)
    const written = await namespaces.during(namespace, () => store(parts, namespaces, request, admitted))
    if (written !== 'namespace' && written !== 'taken') return written
    if (attempt >= ATTEMPTS || (written === 'taken' && !isGenerated(body))) throw exists(parts, request, admitted)
  }
}

function managed(parts: Parts, { kind, context, manage }: Creation, admitted: Admitted): Admitted {
  const { resource } = admitted
  const write = { kind, context, now: stamp(parts.clock) }
  return { ...admitted, resource: manage?.(resource) ?? withManaged(resource, managedAfterCreate(write, resource)) }
}

const isGenerated = ({ value }: Body): boolean => !(value as { metadata?: { name?: unknown } }).metadata?.name

async function store(
  parts: Parts,
  namespaces: Namespaces,
  { kind, namespace, context }: CreateRequest,
  { resource, warnings, sealings }: Admitted,
): Promise<Written | 'namespace' | 'taken'> {
  const { name } = resource.metadata
  const put = preparePut(resourceKey(kind, { namespace, name }), 'absent', resource)
  const before = namespaces.opsFor(kind, namespace, name)
  const outcome = await transact(parts.store, [
    ...before,
    put.op,
    ...parts.vault.ops(kind, undefined, resource, sealings),
    ...(context.beside ?? []),
  ])
  if (outcome.ok) return new WrittenAnswer(put.stored(parts.cache, outcome.revision), warnings, true)
  return outcome.failed < before.length ? 'namespace' : 'taken'
}

function dryRun(parts: Parts, namespaces: Namespaces, request: CreateRequest, admitted: Admitted): Written {
  const { kind, namespace } = request
  const { name } = admitted.resource.metadata
  namespaces.opsFor(kind, namespace, name)
  if (parts.store.get(resourceKey(kind, { namespace, name }))) throw exists(parts, request, admitted)
  return new WrittenAnswer(preview(admitted.resource, undefined), admitted.warnings, true)
}

function exists(parts: Parts, { kind, namespace }: CreateRequest, { resource }: Admitted): StatusError {
  const { name } = resource.metadata
  const error = alreadyExists(kind, name)
  const entry = parts.store.get(resourceKey(kind, { namespace, name }))
  const leaving =
    entry && mayHold(entry.value, BEING_DELETED) && parts.cache.stored(entry).resource.metadata.deletionTimestamp
  return leaving ? new StatusError(error.reason, `object is being deleted: ${error.message}`, error.details) : error
}
