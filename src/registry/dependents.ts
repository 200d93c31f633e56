/** Who depends on whom, by the uid of the owner: finding dependents never needs a search. */
export class Dependents {
  readonly #byOwner = new Map<string, Set<string>>()
  readonly #owners = new Map<string, readonly string[]>()

  /** The object at `key` is owned by these uids, and by no others. */
  set(key: string, owners: readonly string[]): void {
    for (const uid of this.#owners.get(key) ?? []) this.#drop(uid, key)
    if (owners.length === 0) {
      this.#owners.delete(key)
      return
    }
    this.#owners.set(key, owners)
    for (const uid of owners) {
      const keys = this.#byOwner.get(uid)
      if (keys) keys.add(key)
      else this.#byOwner.set(uid, new Set([key]))
    }
  }

  has(key: string): boolean {
    return this.#owners.has(key)
  }

  /** Whether these uids own the object, in this order, and no others do. */
  areOwners(key: string, uids: readonly string[]): boolean {
    const owners = this.#owners.get(key)
    return owners?.length === uids.length && owners.every((uid, i) => uid === uids[i])
  }

  /** Keys of the objects owned by this uid. */
  of(uid: string): readonly string[] {
    return [...(this.#byOwner.get(uid) ?? [])]
  }

  #drop(uid: string, key: string): void {
    const keys = this.#byOwner.get(uid)
    keys?.delete(key)
    if (keys?.size === 0) this.#byOwner.delete(uid)
  }
}
