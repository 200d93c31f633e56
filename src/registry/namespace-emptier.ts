import { isStatus } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import { deleteResource } from './deletion.ts'
import { KeyQueue } from './key-queue.ts'
import { kindPrefix, namespacePrefix, parseKey } from './keys.ts'
import { NamespaceRemains } from './namespace-remains.ts'
import { namespaceIsEmpty } from './namespace-state.ts'
import { namespaceKey, type Namespaces, PLATFORM } from './namespaces.ts'
import { stamp, type Parts } from './parts.ts'
import { Reminders } from './reminders.ts'
import type { Key } from './registry.ts'
import { BEING_DELETED, mayHold } from './resource-bytes.ts'
import { rewrite } from './rewrite.ts'
import type { SharedChange } from './shared-change.ts'
import { transact } from './store-errors.ts'

const PAGE = 256

/**
 * Deletes what a terminating namespace holds, respecting finalizers, and the namespace itself once it is empty. As long as
 * that takes, the namespace says what it waits for.
 */
export class NamespaceEmptier {
  readonly #parts: Parts
  readonly #namespaces: Namespaces
  readonly #terminating = new Set<string>()
  readonly #queue: KeyQueue
  readonly #reminders: Reminders

  constructor(parts: Parts, namespaces: Namespaces) {
    this.#parts = parts
    this.#namespaces = namespaces
    this.#queue = new KeyQueue({ clock: parts.clock, handle: (name) => this.#empty(name), width: 4 })
    this.#reminders = new Reminders(parts.clock, (name) => this.#queue.add(name))
    namespaces.onLeft = (name) => this.#look(name)
    for (const { key, value } of parts.store.entries(kindPrefix(Namespace))) {
      if (mayHold(value, BEING_DELETED)) this.#begin(parseKey(key).name)
    }
  }

  get idle(): boolean {
    return this.#queue.idle
  }

  settled(): Promise<void> {
    return this.#queue.settled()
  }

  close(): Promise<void> {
    this.#reminders.close()
    return this.#queue.close()
  }

  changed(changes: readonly SharedChange[]): void {
    for (const { at, after } of changes) {
      if (at.namespace !== '') this.#look(at.namespace)
      else if (at.kind !== kindPrefix(Namespace)) continue
      else if (!after) this.#end(at.name)
      else if (mayHold(after.bytes, BEING_DELETED)) this.#begin(at.name)
    }
  }

  #begin(name: string): void {
    this.#terminating.add(name)
    this.#queue.add(name)
  }

  #end(name: string): void {
    this.#terminating.delete(name)
    this.#reminders.drop(name)
  }

  #look(name: string): void {
    if (this.#terminating.has(name)) this.#queue.add(name)
  }

  async #empty(name: string): Promise<void> {
    const { store, cache, kinds } = this.#parts
    const entry = store.get(namespaceKey(name))
    const metadata = entry && cache.stored(entry).resource.metadata
    if (!metadata?.deletionTimestamp) return
    const remains = new NamespaceRemains()
    for (const kind of kinds.all) if (kind.scope === 'Namespaced') await this.#deleteAll(kind, name, remains)
    const current = store.get(namespaceKey(name))
    if (!current || this.#namespaces.isBeingEntered(name)) return
    const waits = cache.stored(current).resource.metadata.finalizers?.length
    if (waits || !namespaceIsEmpty(this.#parts, name)) return this.#tell(name, remains)
    await transact(store, [{ type: 'delete', key: current.key, expect: current.revision }])
  }

  /** @throws what kept something from being told to go, so that it is tried again */
  async #tell(name: string, remains: NamespaceRemains): Promise<void> {
    if (this.#reminders.isTime(name))
      await rewrite(this.#parts, Namespace, namespaceKey(name), (now) => remains.toldBy(now, stamp(this.#parts.clock)))
    if (remains.failure !== undefined) throw remains.failure
  }

  async #deleteAll(kind: Kind, namespace: string, remains: NamespaceRemains): Promise<void> {
    const { store } = this.#parts
    for (let after: string | undefined; ;) {
      const page = await store.list(namespacePrefix(kind, namespace), { after, limit: PAGE })
      await Promise.all(page.entries.map(({ key }) => this.#delete(kind, parseKey(key), remains)))
      after = page.entries.at(-1)?.key
      if (page.remaining === 0) return
    }
  }

  /** Deleting what is being deleted already changes nothing. */
  async #delete(kind: Kind, { namespace, name }: Key, remains: NamespaceRemains): Promise<void> {
    const request = { kind, key: { namespace, name }, options: {}, context: { user: PLATFORM } }
    try {
      const { gone, resource } = await deleteResource(this.#parts, request)
      if (!gone) remains.add(kind, resource)
    } catch (error) {
      if (!isStatus(error, 'NotFound')) remains.failed(error)
    }
  }
}
