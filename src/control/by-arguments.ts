type Branch<T> = Map<unknown, Branch<T> | T>

/** Values by a function and its arguments, always as many for the same function: found without putting a key together. */
export class ByArguments<T extends object> {
  readonly #root: Branch<T> = new Map()

  find(of: unknown, args: readonly string[]): T | undefined {
    let at = this.#root.get(of)
    for (const arg of args) {
      if (at === undefined) return undefined
      at = (at as Branch<T>).get(arg)
    }
    return at as T | undefined
  }

  /** Returns how to remove it again. */
  add(of: unknown, args: readonly string[], value: T): () => void {
    const path = [of, ...args]
    const last = path.length - 1
    let branch = this.#root
    for (const step of path.slice(0, last)) {
      let next = branch.get(step) as Branch<T> | undefined
      if (next === undefined) branch.set(step, (next = new Map()))
      branch = next
    }
    branch.set(path[last], value)
    return () => void prune(this.#root, path)
  }
}

function prune<T>(branch: Branch<T>, [step, ...rest]: readonly unknown[]): boolean {
  const below = branch.get(step)
  if (rest.length === 0 || (below !== undefined && prune(below as Branch<T>, rest))) branch.delete(step)
  return branch.size === 0
}
