import type { Verdict } from '#domain/condition.ts'
import type { Kind } from '#domain/kind.ts'
import { compareText, type Resource } from '#domain/object.ts'
import { withConditions } from './terminating.ts'

/** What is left of a namespace after everything in it has been told to go. */
export class NamespaceRemains {
  readonly #kinds = new Map<string, number>()
  readonly #finalizers = new Map<string, number>()
  #failure: Error | undefined

  /** This object has not gone: whoever has put a finalizer on it has to be done first. */
  add({ group, plural }: Kind, { metadata: { finalizers = [] } }: Resource): void {
    count(this.#kinds, group === '' ? plural : `${plural}.${group}`)
    for (const finalizer of finalizers) count(this.#finalizers, finalizer)
  }

  /** Something could not be told to go; it is tried again. */
  failed(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(String(error))
  }

  get failure(): Error | undefined {
    return this.#failure
  }

  /** The namespace with the conditions Kubernetes has for this; the same object when it has them already. */
  toldBy(namespace: Resource, now: string): Resource {
    return withConditions(namespace, [this.#content(), this.#waiting(namespace), this.#deletion()], now)
  }

  #content(): Verdict {
    const type = 'NamespaceContentRemaining'
    if (this.#kinds.size === 0)
      return { type, status: 'False', reason: 'ContentRemoved', message: 'Nothing is left in the namespace' }
    const left = listed(this.#kinds, (kind, n) => `${kind} has ${n} resource instances`)
    return { type, status: 'True', reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${left}` }
  }

  #waiting({ metadata: { finalizers = [] } }: Resource): Verdict {
    const type = 'NamespaceFinalizersRemaining'
    const parts = [
      ...(this.#finalizers.size === 0
        ? []
        : [
            `Some content in the namespace has finalizers remaining: ${listed(this.#finalizers, (f, n) => `${f} in ${n} resource instances`)}`,
          ]),
      ...(finalizers.length === 0 ? [] : [`The namespace itself has finalizers remaining: ${finalizers.join(', ')}`]),
    ]
    return parts.length === 0
      ? { type, status: 'False', reason: 'ContentHasNoFinalizers', message: 'Nobody has to be waited for' }
      : { type, status: 'True', reason: 'SomeFinalizersRemain', message: parts.join('; ') }
  }

  #deletion(): Verdict {
    const type = 'NamespaceDeletionContentFailure'
    if (this.#failure === undefined)
      return { type, status: 'False', reason: 'ContentDeleted', message: 'Everything in the namespace is told to go' }
    return { type, status: 'True', reason: 'ContentDeletionFailed', message: this.#failure.message }
  }
}

const count = (table: Map<string, number>, key: string): void => void table.set(key, (table.get(key) ?? 0) + 1)

const listed = (table: ReadonlyMap<string, number>, tell: (key: string, n: number) => string): string =>
  [...table]
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([key, n]) => tell(key, n))
    .join(', ')
