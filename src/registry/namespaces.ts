import { forbidden } from '#domain/errors.ts'
import { apiVersionOf, type Kind, type User } from '#domain/kind.ts'
import { Namespace } from '#domain/kinds/core/namespace.ts'
import type { Op } from '#store/store.ts'
import { admitCreate } from './admission.ts'
import { resourceKey } from './keys.ts'
import type { Parts } from './parts.ts'
import { BEING_DELETED, mayHold } from './resource-bytes.ts'
import { preparePut } from './written.ts'

/** The control plane itself, as it writes through its own door. */
export const PLATFORM: User = { name: 'system:stellwerk', groups: ['system:masters'], platform: true }

/** Namespaces come with the first write into them (decisions §2.3) and let nothing in while they are being emptied. */
export class Namespaces {
  readonly #parts: Parts
  readonly #entering = new Map<string, number>()
  /** Called when the last write into a namespace has ended. */
  onLeft: (namespace: string) => void = () => {}

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** What a create in `namespace` has to do besides. @throws StatusError Forbidden while the namespace is being deleted */
  opsFor(kind: Kind, namespace: string, name: string): readonly Op[] {
    if (kind.scope === 'Cluster') return []
    const entry = this.#parts.store.get(namespaceKey(namespace))
    if (!entry) return [this.#creation(namespace)]
    if (mayHold(entry.value, BEING_DELETED) && this.#parts.cache.stored(entry).resource.metadata.deletionTimestamp) {
      throw forbidden(
        kind,
        name,
        `unable to create new content in namespace ${namespace} because it is being terminated`,
      )
    }
    return []
  }

  /** Runs a write into a namespace; as long as it runs, the namespace does not count as empty. */
  during<T>(namespace: string, write: () => Promise<T>): Promise<T> {
    return this.duringAll([namespace], write)
  }

  async duringAll<T>(namespaces: Iterable<string>, write: () => Promise<T>): Promise<T> {
    for (const namespace of namespaces) this.#entering.set(namespace, (this.#entering.get(namespace) ?? 0) + 1)
    try {
      return await write()
    } finally {
      for (const namespace of namespaces) this.#leave(namespace)
    }
  }

  #leave(namespace: string): void {
    const left = (this.#entering.get(namespace) ?? 1) - 1
    if (left > 0) this.#entering.set(namespace, left)
    else {
      this.#entering.delete(namespace)
      this.onLeft(namespace)
    }
  }

  isBeingEntered(namespace: string): boolean {
    return this.#entering.has(namespace)
  }

  #creation(namespace: string): Op {
    const value = { apiVersion: apiVersionOf(Namespace), kind: Namespace.kind, metadata: { name: namespace } }
    const body = { value, duplicates: [] }
    const { resource } = admitCreate(this.#parts, { kind: Namespace, namespace: '', body, context: { user: PLATFORM } })
    return preparePut(namespaceKey(namespace), 'absent', resource).op
  }
}

export const namespaceKey = (name: string): string => resourceKey(Namespace, { namespace: '', name })
