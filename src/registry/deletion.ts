import { conflict, notFound } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import type { Entry } from '#store/store.ts'
import { resourceKey } from './keys.ts'
import { isNamespaceKind, terminating } from './namespace-state.ts'
import { stamp, type Parts } from './parts.ts'
import type { Deleted, DeleteOptions, Key, WriteContext } from './registry.ts'
import { transact } from './store-errors.ts'
import { DeletedAnswer, preparePut, preview } from './written.ts'

export const ORPHAN = 'orphan'
export const FOREGROUND = 'foregroundDeletion'

/** Only an object with nobody left to wait for goes. A namespace waits for its content: see `namespace-emptier.ts`. */
export const mayBeRemoved = (kind: Kind, { metadata }: Resource): boolean =>
  metadata.deletionTimestamp !== undefined && !metadata.finalizers?.length && !isNamespaceKind(kind)

export interface DeleteRequest {
  readonly kind: Kind
  readonly key: Key
  readonly options: DeleteOptions
  readonly context: WriteContext
}

/** Someone who deletes wants the object gone whatever it has become meanwhile, within reason. */
const ATTEMPTS = 20

/** @throws StatusError NotFound, Conflict when a precondition does not hold */
export async function deleteResource(parts: Parts, request: DeleteRequest): Promise<Deleted> {
  const { kind, key } = request
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const entry = parts.store.get(resourceKey(kind, key))
    if (!entry) throw notFound(kind, key.name)
    const deleted = await tryOnce(parts, request, entry)
    if (deleted) return deleted
  }
  throw conflict(kind, key.name, 'the object keeps changing while it is being deleted; try again')
}

async function tryOnce(
  parts: Parts,
  { kind, key, options, context }: DeleteRequest,
  entry: Entry,
): Promise<Deleted | undefined> {
  const current = parts.cache.stored(entry)
  const old = current.resource
  checkPreconditions(kind, key, options, old)
  const marked = markDeleted(parts, kind, old, options)
  const gone = mayBeRemoved(kind, marked)
  if (gone) {
    if (context.dryRun) return new DeletedAnswer(current, true)
    const ops = [
      { type: 'delete', key: entry.key, expect: entry.revision } as const,
      ...parts.vault.ops(kind, old, undefined, []),
    ]
    const outcome = await transact(parts.store, ops)
    return outcome.ok ? new DeletedAnswer(current, true) : undefined
  }
  if (marked === old) return new DeletedAnswer(current, false)
  if (context.dryRun) return new DeletedAnswer(preview(marked, entry), false)
  const put = preparePut(entry.key, entry.revision, marked)
  const outcome = await transact(parts.store, [put.op])
  return outcome.ok ? new DeletedAnswer(put.stored(parts.cache, outcome.revision), false) : undefined
}

export function checkPreconditions(
  kind: Kind,
  key: Key,
  { preconditions = {} }: DeleteOptions,
  { metadata }: Resource,
): void {
  const { uid, resourceVersion } = preconditions
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid})`
    throw conflict(kind, key.name, `${why}. The object might have been deleted and then recreated`)
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion})`
    throw conflict(kind, key.name, `${why}. The object might have been modified`)
  }
}

/** The object as deletion leaves it when it has to wait; the same object when it is waiting already. */
export function markDeleted(parts: Parts, kind: Kind, old: Resource, options: DeleteOptions): Resource {
  const { metadata } = old
  const finalizers = finalizersFor(metadata.finalizers ?? [], options)
  if (metadata.deletionTimestamp && finalizers === metadata.finalizers) return old
  const { finalizers: _, ...rest } = metadata
  const waiting = {
    ...rest,
    generation: metadata.deletionTimestamp ? metadata.generation : (metadata.generation ?? 0) + 1,
    deletionTimestamp: metadata.deletionTimestamp ?? stamp(parts.clock),
    deletionGracePeriodSeconds: 0,
    ...(finalizers.length > 0 ? { finalizers } : {}),
  }
  const marked = { ...old, metadata: waiting }
  return isNamespaceKind(kind) ? terminating(marked) : marked
}

/** The propagation policy is remembered as a finalizer; saying nothing leaves what is there. */
function finalizersFor(finalizers: readonly string[], { propagationPolicy: policy }: DeleteOptions): readonly string[] {
  if (policy === undefined) return finalizers
  const others = finalizers.filter((finalizer) => finalizer !== ORPHAN && finalizer !== FOREGROUND)
  const wanted = policy === 'Background' ? others : [...others, policy === 'Orphan' ? ORPHAN : FOREGROUND]
  return wanted.length === finalizers.length && wanted.every((finalizer) => finalizers.includes(finalizer))
    ? finalizers
    : wanted
}
