import { setImmediate as nextTurn } from 'node:timers/promises'
import { isStatus } from '#domain/errors.ts'
import { Event } from '#domain/kinds/core/event.ts'
import type { Metadata, OwnerReference, Resource } from '#domain/object.ts'
import { Dependents } from './dependents.ts'
import { deleteResource, FOREGROUND, ORPHAN } from './deletion.ts'
import { KeyQueue } from './key-queue.ts'
import { parseKey, RESOURCE_ROOT } from './keys.ts'
import { PLATFORM } from './namespaces.ts'
import {
  isWaiting,
  type Located,
  ownerKey,
  ownerState,
  withoutBlocking,
  withoutFinalizer,
  withoutOwners,
} from './owners.ts'
import { stamp, type Parts } from './parts.ts'
import type { DeleteOptions, Stored } from './registry.ts'
import { Reminders } from './reminders.ts'
import { BEING_DELETED, OWNED, WAITING_FOR_DEPENDENTS, mayHold, uidOf } from './resource-bytes.ts'
import { rewrite } from './rewrite.ts'
import type { SharedChange } from './shared-change.ts'
import { MOST_KNOWN, waitingForDependents } from './terminating.ts'

/** Looked at in one turn: a third of a millisecond that somebody else's request waits. */
const SCAN = 250

/**
 * Deletes what has lost its last owner, and carries out foreground and orphaning deletion, as Kubernetes does: in the
 * background, from an index by uid, and again after a restart for whatever was left undone.
 */
export class GarbageCollector {
  readonly #parts: Parts
  readonly #dependents = new Dependents()
  readonly #queue: KeyQueue
  readonly #reminders: Reminders
  readonly #scanned: Promise<void>
  #closed = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#queue = new KeyQueue({ clock: parts.clock, handle: (key) => this.#handle(key), width: 64 })
    this.#reminders = new Reminders(parts.clock, (key) => this.#queue.add(key))
    this.#scanned = this.#scan().catch(() => {})
  }

  get idle(): boolean {
    return this.#queue.idle
  }

  async settled(): Promise<void> {
    await this.#scanned
    await this.#queue.settled()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#reminders.close()
    await this.#scanned
    await this.#queue.close()
  }

  changed(changes: readonly SharedChange[]): void {
    for (const change of changes) {
      if (change.before && this.#dependents.has(change.key)) this.#askOwners(this.#withOwnersOf(change))
      if (change.after) this.#notice(change.key, change.after)
      else this.#forget(change.key, change.before!)
    }
  }

  /** What was stored before this process began, in steps: nothing has to wait for it. */
  async #scan(): Promise<void> {
    const { store, cache } = this.#parts
    for (let after: string | undefined; !this.#closed;) {
      await nextTurn()
      const page = await store.list(RESOURCE_ROOT, { after, limit: SCAN })
      for (const { key, value } of page.entries) {
        if (!mayHold(value, OWNED) && !mayHold(value, BEING_DELETED)) continue
        const entry = store.get(key)
        if (entry) this.#notice(key, cache.stored(entry))
      }
      after = page.entries.at(-1)?.key
      if (page.remaining === 0) return
    }
  }

  #notice(key: string, stored: Stored): void {
    if (mayHold(stored.bytes, OWNED)) this.#noticeOwners(key, stored.resource)
    else if (this.#dependents.has(key)) this.#dependents.set(key, [])
    if (!mayHold(stored.bytes, BEING_DELETED)) return
    const { deletionTimestamp, finalizers = [] } = stored.resource.metadata
    if (deletionTimestamp && (finalizers.includes(ORPHAN) || finalizers.includes(FOREGROUND))) this.#queue.add(key)
  }

  #noticeOwners(key: string, resource: Resource): void {
    const owners = resource.metadata.ownerReferences ?? []
    this.#dependents.set(
      key,
      owners.map(({ uid }) => uid),
    )
    if (owners.some((owner) => ownerState(this.#parts, resource, owner) !== 'solid')) this.#queue.add(key)
  }

  #forget(key: string, last: Stored): void {
    this.#reminders.drop(key)
    this.#dependents.set(key, [])
    for (const dependent of this.#dependents.of(uidOf(last.bytes))) this.#queue.add(dependent)
  }

  /** The object with the owners it had: the newest form if those are the same, since that one is at hand. */
  #withOwnersOf({ key, before, after }: SharedChange): Resource {
    const uids = after?.resource.metadata.ownerReferences?.map(({ uid }) => uid)
    return this.#dependents.areOwners(key, uids ?? []) ? after!.resource : before!.resource
  }

  /** An owner that waits for its dependents looks again whenever one of them changes. */
  #askOwners(dependent: Resource): void {
    for (const reference of dependent.metadata.ownerReferences ?? []) {
      const key = ownerKey(this.#parts, dependent, reference)
      const entry = key === undefined ? undefined : this.#parts.store.get(key)
      if (entry && mayHold(entry.value, WAITING_FOR_DEPENDENTS)) this.#queue.add(entry.key)
    }
  }

  #locate(key: string): Located | undefined {
    const kind = this.#parts.kinds.ofPrefix(parseKey(key).kind)
    const entry = this.#parts.store.get(key)
    return kind && entry && { kind, key, resource: this.#parts.cache.stored(entry).resource }
  }

  async #handle(key: string): Promise<void> {
    const located = this.#locate(key)
    if (!located) return
    const { deletionTimestamp, finalizers = [], ownerReferences = [] } = located.resource.metadata
    if (!deletionTimestamp) return ownerReferences.length > 0 ? this.#collect(located, ownerReferences) : undefined
    if (finalizers.includes(ORPHAN)) return this.#orphan(located)
    if (finalizers.includes(FOREGROUND)) return this.#deleteDependentsFirst(located)
  }

  async #orphan({ kind, key, resource }: Located): Promise<void> {
    const { uid } = resource.metadata
    await Promise.all(
      this.#dependents.of(uid!).map(async (dependent) => {
        const located = this.#locate(dependent)
        if (located)
          await rewrite(this.#parts, located.kind, dependent, (o) => withoutOwners(o, (owner) => owner.uid === uid))
      }),
    )
    await rewrite(this.#parts, kind, key, (object) => withoutFinalizer(object, ORPHAN))
  }

  async #deleteDependentsFirst({ kind, key, resource }: Located): Promise<void> {
    const { uid } = resource.metadata
    const dependents = this.#dependents.of(uid!).filter((dependent) => dependent !== key)
    for (const dependent of dependents) this.#queue.add(dependent)
    const blocks = ({ ownerReferences = [] }: Metadata): boolean =>
      ownerReferences.some((o) => o.uid === uid && o.blockOwnerDeletion === true)
    const blockers = dependents
      .values()
      .map((dependent) => this.#locate(dependent)?.resource)
      .filter((found) => found !== undefined)
      .filter(({ metadata }) => blocks(metadata))
    const first = blockers.next().value
    if (first === undefined) return rewrite(this.#parts, kind, key, (object) => withoutFinalizer(object, FOREGROUND))
    if (!this.#reminders.isTime(key)) return
    const known = [first, ...blockers.take(MOST_KNOWN)]
    const now = stamp(this.#parts.clock)
    await rewrite(this.#parts, kind, key, (object) => waitingForDependents(kind, object, known, now))
  }

  /**
   * One owner that stays keeps the object; the references to all others are removed. Events stay as long as what they tell
   * of: whoever waits for it to go wants to read them.
   */
  async #collect(located: Located, owners: readonly OwnerReference[]): Promise<void> {
    const { kind, key, resource } = located
    const states = owners.map((owner) => ownerState(this.#parts, resource, owner))
    if (states.every((state) => state === 'solid')) return
    if (states.includes('solid')) {
      const lost = (owner: OwnerReference): boolean => ownerState(this.#parts, resource, owner) !== 'solid'
      return rewrite(this.#parts, kind, key, (object) => withoutOwners(object, lost))
    }
    if (kind === Event && states.includes('waiting')) return
    const dependents = this.#dependents.of(resource.metadata.uid!)
    if (!states.includes('waiting') || dependents.length === 0) return this.#delete(located, policyOf(resource))
    const circle = dependents.some((dependent) => isWaiting(this.#locate(dependent)?.resource ?? resource))
    if (circle) await rewrite(this.#parts, kind, key, withoutBlocking)
    await this.#delete(circle ? (this.#locate(key) ?? located) : located, 'Foreground')
  }

  async #delete({ kind, resource }: Located, propagationPolicy: DeleteOptions['propagationPolicy']): Promise<void> {
    const { name, namespace = '', uid, resourceVersion } = resource.metadata
    const options = { propagationPolicy, preconditions: { uid, resourceVersion } }
    try {
      await deleteResource(this.#parts, { kind, key: { namespace, name }, options, context: { user: PLATFORM } })
    } catch (error) {
      if (!isStatus(error, 'NotFound')) throw error
    }
  }
}

function policyOf({ metadata: { finalizers = [] } }: Resource): DeleteOptions['propagationPolicy'] {
  if (finalizers.includes(ORPHAN)) return 'Orphan'
  return finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background'
}
