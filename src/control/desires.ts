import { byAge } from '#domain/plan/world.ts'
import type { Cache } from './cache.ts'
import { findEntity } from './ownership.ts'

/**
 * Child → who desires it. When several do, the oldest writes it and the others only wait for it to be ready, so the
 * result does not depend on who came first; when that one stops, the next takes over and nothing is deleted.
 */
export class Desires {
  readonly #cache: Cache
  readonly #byChild = new Map<string, readonly string[]>()
  readonly #byOwner = new Map<string, readonly string[]>()

  constructor(cache: Cache) {
    this.#cache = cache
  }

  /** Who else has to run because a child is now, or no longer, theirs to write. */
  set(owner: string, children: readonly string[]): readonly string[] {
    const before = this.#byOwner.get(owner) ?? []
    const added = children.filter((child) => !before.includes(child))
    const dropped = before.filter((child) => !children.includes(child))
    if (children.length === 0) this.#byOwner.delete(owner)
    else this.#byOwner.set(owner, children)
    return [
      ...added.flatMap((child) => this.#change(child, owner, [...this.of(child), owner])),
      ...dropped.flatMap((child) =>
        this.#change(
          child,
          owner,
          this.of(child).filter((other) => other !== owner),
        ),
      ),
    ]
  }

  of(child: string): readonly string[] {
    return this.#byChild.get(child) ?? []
  }

  /** The one that writes the child. */
  writer(child: string): string | undefined {
    const owners = this.of(child)
    return owners.length < 2 ? owners[0] : owners.toSorted((a, b) => this.#byAge(a, b))[0]
  }

  #change(child: string, owner: string, owners: readonly string[]): readonly string[] {
    const before = this.writer(child)
    if (owners.length === 0) this.#byChild.delete(child)
    else this.#byChild.set(child, owners)
    const after = this.writer(child)
    return [before, after].filter((o) => before !== after && o !== undefined && o !== owner) as string[]
  }

  #byAge(a: string, b: string): number {
    return byAge(this.#age(a), this.#age(b))
  }

  #age(owner: string): { created: string; namespace: string; name: string } {
    const metadata = findEntity(owner, this.#cache)?.metadata
    return {
      created: metadata?.creationTimestamp ?? '~',
      namespace: metadata?.namespace ?? '',
      name: `${metadata?.name} ${owner}`,
    }
  }
}
