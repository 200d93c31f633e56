import { equal } from '#domain/equal.ts'
import { normalize } from '#domain/structural.ts'
import { alreadyExists, conflict, notFound } from '#domain/errors.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import type { Named, Resource } from '#domain/object.ts'
import type { Preconditions, Refused, Transaction } from '#source/source.ts'
import type { Entry, Op } from '#store/store.ts'
import { admitCreate, type Admitted, admitStatus, admitUpdate, checkIdentity } from './admission.ts'
import { managedAfterCreate, managedAfterUpdate, withManaged } from './apply/track.ts'
import { decodeBody } from './decode.ts'
import { checkPreconditions, markDeleted, mayBeRemoved } from './deletion.ts'
import { parseKey, resourceKey } from './keys.ts'
import { namespaceKey, type Namespaces } from './namespaces.ts'
import { stamp, type Parts } from './parts.ts'
import type { WriteContext } from './registry.ts'
import { transactAll } from './store-errors.ts'
import { unmanaged } from './unmanaged.ts'
import { preparePut } from './written.ts'

/** What has become of one object so far. */
interface Draft {
  readonly kind: Kind
  readonly ref: Named
  readonly key: string
  /** As it is stored; undefined when this transaction creates it. */
  readonly entry: Entry | undefined
  readonly before: Resource | undefined
  /** Undefined: this transaction removes it. */
  readonly now: Resource | undefined
  readonly sealings: Admitted['sealings']
}

const STALE = 'the object has been modified; please apply your changes to the latest version and try again'

/**
 * Writes that pass the same admission as anyone's, one on top of the other, and are stored together: however often an
 * object is written here, it is stored once. Synchronous up to `commit`.
 */
export class ResourceTransaction implements Transaction {
  readonly #parts: Parts
  readonly #namespaces: Namespaces
  readonly #context: WriteContext
  readonly #drafts = new Map<string, Draft>()
  /** Namespaces that come with the first object in them. */
  readonly #homes = new Map<string, readonly Op[]>()
  /** Namespaces that were there when the first object was made in them, and who that was. */
  readonly #entered = new Map<string, { readonly kind: Kind; readonly name: string }>()
  /** Secrets that are not stored yet, by their references: what is written here may refer to them already. */
  readonly #unsealed = new Map<string, string>()
  #writes = 0

  constructor(parts: Parts, namespaces: Namespaces, context: WriteContext) {
    this.#parts = { ...parts, vault: parts.vault.beside(this.#unsealed) }
    this.#namespaces = namespaces
    this.#context = context
  }

  create(kind: Kind, { metadata, spec }: Pick<Resource, 'metadata' | 'spec'>): Resource {
    const ref = refOf(metadata)
    const draft = this.#draft(kind, ref)
    if (draft.now !== undefined || draft.before !== undefined || this.#homes.has(draft.key))
      throw alreadyExists(kind, ref.name)
    const value = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec }
    const body = { value, duplicates: [] }
    const admitted = admitCreate(this.#parts, { kind, namespace: ref.namespace, body, context: this.#context })
    this.#enter(kind, ref)
    const entries = managedAfterCreate(
      { kind, context: this.#context, now: stamp(this.#parts.clock) },
      admitted.resource,
    )
    return this.#keep(draft, withManaged(admitted.resource, entries), admitted.sealings)!
  }

  update(kind: Kind, resource: Resource): Resource | undefined {
    const ref = refOf(resource.metadata)
    const draft = this.#draft(kind, ref)
    const old = expectVersion(draft, resource.metadata.resourceVersion)
    const decoded = decodeBody(kind, { value: resource, duplicates: [] })
    checkIdentity({ kind, key: ref, patch: false }, decoded, old)
    const context = this.#context
    return this.#replace(draft, context, old, admitUpdate(this.#parts, { kind, context, old }, decoded, []))
  }

  /** Nothing but the status of the resource counts. */
  updateStatus(kind: Kind, { metadata, status }: Resource): Resource | undefined {
    const draft = this.#draft(kind, refOf(metadata))
    const old = expectVersion(draft, metadata.resourceVersion)
    const decoded = { object: normalize(kind, { status }).object, remarks: [] }
    const context: WriteContext = { ...this.#context, subresource: 'status' }
    return this.#replace(draft, context, old, admitStatus(this.#parts, { kind, context, old }, decoded, []))
  }

  delete(kind: Kind, ref: Named, preconditions: Preconditions): Resource | undefined {
    const draft = this.#draft(kind, ref)
    if (draft.now === undefined) throw notFound(kind, ref.name)
    const options = { propagationPolicy: 'Background', preconditions } as const
    checkPreconditions(kind, ref, options, draft.now)
    const marked = markDeleted(this.#parts, kind, draft.now, options)
    if (marked === draft.now) return unmanaged(marked)
    return this.#keep(draft, marked, [])
  }

  async commit(): Promise<Refused | undefined> {
    const drafts = [...this.#drafts.values()]
    if (drafts.length === 0) return undefined
    const homes = [...this.#homes.keys()]
    const transactions = [...this.#homes.values(), ...drafts.map((draft) => this.#opsOf(draft))]
    const newcomers = drafts.filter((draft) => draft.entry === undefined)
    const namespaces = new Set(newcomers.map(({ ref }) => ref.namespace))
    const closed = [...namespaces].find((namespace) => this.#isClosed(namespace))
    if (closed !== undefined) return { kind: Namespace, ref: { namespace: '', name: closed } }
    const outcome = await this.#namespaces.duringAll(namespaces, () => transactAll(this.#parts.store, transactions))
    if (outcome.ok) return undefined
    return refusedBy(drafts, homes, transactions, outcome.failed)
  }

  #draft(kind: Kind, ref: Named): Draft {
    const key = resourceKey(kind, ref)
    const known = this.#drafts.get(key)
    if (known !== undefined) return known
    const entry = this.#parts.store.get(key)
    const before = entry && this.#parts.cache.stored(entry).resource
    return { kind, ref, key, entry, before, now: before, sealings: [] }
  }

  #replace(draft: Draft, context: WriteContext, old: Resource, admitted: Admitted): Resource | undefined {
    const next = atVersion(admitted.resource, old.metadata.resourceVersion)
    const how = { kind: draft.kind, context, now: stamp(this.#parts.clock) }
    const entries = managedAfterUpdate(how, { old, resource: next, sent: undefined })
    const managed = withManaged(next, entries)
    return equal(managed, old) ? unmanaged(old) : this.#keep(draft, managed, admitted.sealings)
  }

  /** Until it is stored an object has a version that says nothing but that it is not the one before. */
  #keep(draft: Draft, resource: Resource, sealings: Admitted['sealings']): Resource | undefined {
    const { kind, key, entry } = draft
    const gone = mayBeRemoved(kind, resource)
    if (gone && entry === undefined) {
      this.#drafts.delete(key)
      return undefined
    }
    const metadata = { ...resource.metadata, resourceVersion: `${entry?.revision ?? 0}+${++this.#writes}` }
    const now = gone ? undefined : { ...resource, metadata }
    for (const { reference, clear } of sealings) this.#unsealed.set(reference, clear)
    this.#drafts.set(key, { ...draft, now, sealings: [...draft.sealings, ...sealings] })
    return now && unmanaged(now)
  }

  #enter(kind: Kind, { namespace, name }: Named): void {
    if (kind.scope === 'Cluster' || this.#entered.has(namespace)) return
    const key = namespaceKey(namespace)
    if (this.#homes.has(key) || this.#drafts.has(key)) return
    const ops = this.#namespaces.opsFor(kind, namespace, name)
    if (ops.length > 0) this.#homes.set(key, ops)
    else this.#entered.set(namespace, { kind, name })
  }

  /** Whether a namespace was there and is not any more, or is being emptied. */
  #isClosed(namespace: string): boolean {
    const first = this.#entered.get(namespace)
    if (first === undefined || this.#drafts.has(namespaceKey(namespace))) return false
    try {
      return this.#namespaces.opsFor(first.kind, namespace, first.name).length > 0
    } catch {
      return true
    }
  }

  #opsOf({ kind, key, entry, before, now, sealings }: Draft): readonly Op[] {
    const secrets = this.#parts.vault.ops(kind, before, now, sealings)
    if (now === undefined) return [{ type: 'delete', key, expect: entry!.revision }, ...secrets]
    const put = preparePut(key, entry?.revision ?? 'absent', now)
    return [put.keptIn(this.#parts.cache), ...secrets]
  }
}

/** @throws StatusError NotFound, Conflict */
function expectVersion({ kind, ref, now }: Draft, resourceVersion: string | undefined): Resource {
  if (now === undefined) throw notFound(kind, ref.name)
  if (resourceVersion !== now.metadata.resourceVersion) throw conflict(kind, ref.name, STALE)
  return now
}

const atVersion = (resource: Resource, resourceVersion: string | undefined): Resource =>
  resource.metadata.resourceVersion === resourceVersion
    ? resource
    : { ...resource, metadata: { ...resource.metadata, resourceVersion } }

const refOf = ({ namespace = '', name }: Resource['metadata']): Named => ({ namespace, name })

/** Which object was meant by an op that did not match. */
function refusedBy(
  drafts: readonly Draft[],
  homes: readonly string[],
  transactions: readonly (readonly Op[])[],
  failed: number,
): Refused {
  let seen = 0
  const at = transactions.findIndex((ops) => (seen += ops.length) > failed)
  const home = homes[at]
  if (home !== undefined) return { kind: Namespace, ref: { namespace: '', name: parseKey(home).name } }
  const { kind, ref } = drafts[at - homes.length]!
  return { kind, ref }
}
