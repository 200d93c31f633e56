import type { Resource } from '#domain/object.ts'
import { byAge } from '#domain/plan/world.ts'
import { entityOf } from './entity.ts'

/** Up to so many children each is heard of at once. */
const FEW = 8

interface Desirer {
  readonly entity: string
  readonly created: string
  readonly namespace: string
  readonly name: string
}

/**
 * Child → who desires it. When several do, the oldest writes it and the others only wait for it to be ready, so the
 * result does not depend on who came first; when that one stops, the next takes over and nothing is deleted.
 */
export class Desires {
  /** By age. */
  readonly #byChild = new Map<string, Desirer[]>()
  readonly #byOwner = new Map<string, { readonly desirer: Desirer; readonly children: ReadonlySet<string> }>()
  readonly #controllerOf: (child: string) => string | undefined

  /** `controllerOf`: who controls a child that exists. */
  constructor(controllerOf: (child: string) => string | undefined) {
    this.#controllerOf = controllerOf
  }

  /** Returns who else has to run because a child is now theirs to write, or to remove. */
  set(owner: Resource, children: readonly string[]): readonly string[] {
    const { creationTimestamp: created = '', namespace = '', name } = owner.metadata
    const entity = entityOf(owner)
    const desirer: Desirer = { entity, created, namespace, name: `${name} ${entity}` }
    const before = this.#byOwner.get(entity)
    // A successor of the same name is another owner: it has another age.
    const isSuccessor = before !== undefined && byAge(before.desirer, desirer) !== 0
    if (!isSuccessor && isSame(before?.children, children)) return []
    const moved = isSuccessor ? this.drop(entity) : []
    const now = new Set(children)
    const old = this.#byOwner.get(entity)?.children ?? new Set()
    const dropped = [...old].filter((child) => !now.has(child)).flatMap((child) => this.#remove(child, desirer))
    for (const child of now) if (!old.has(child)) this.#add(child, desirer)
    if (now.size > 0) this.#byOwner.set(entity, { desirer, children: now })
    else this.#byOwner.delete(entity)
    return [...moved, ...dropped].filter((other) => other !== entity)
  }

  /** The owner desires nothing any more. */
  drop(entity: string): readonly string[] {
    const known = this.#byOwner.get(entity)
    if (known === undefined) return []
    this.#byOwner.delete(entity)
    return [...known.children].flatMap((child) => this.#remove(child, known.desirer))
  }

  has(child: string, owner: string): boolean {
    return this.#byOwner.get(owner)?.children.has(child) === true
  }

  /**
   * Whether the child is one of many that the owner has, and others are yet to run: with hundreds of them the owner need not
   * hear of each. `isQueued`: whether a child is yet to run.
   */
  isOneOfMany(child: string | undefined, owner: string, isQueued: (child: string) => boolean): boolean {
    const children = this.#byOwner.get(owner)?.children
    if (children === undefined || children.size <= FEW || child === undefined || !children.has(child)) return false
    for (const other of children) if (isQueued(other)) return true
    return false
  }

  isDesired(child: string, butFor: string): boolean {
    return this.#byChild.get(child)?.some((desirer) => desirer.entity !== butFor) === true
  }

  /** The one that writes the child. */
  writer(child: string): string | undefined {
    return this.#byChild.get(child)?.[0]?.entity
  }

  #add(child: string, desirer: Desirer): void {
    const desirers = this.#byChild.get(child)
    if (desirers === undefined) this.#byChild.set(child, [desirer])
    else desirers.splice(position(desirers, desirer), 0, desirer)
  }

  #remove(child: string, desirer: Desirer): readonly string[] {
    const desirers = this.#byChild.get(child)
    if (desirers === undefined) return []
    const at = position(desirers, desirer)
    if (desirers[at]?.entity === desirer.entity) desirers.splice(at, 1)
    if (desirers.length > 0) return at === 0 ? [desirers[0]!.entity] : []
    this.#byChild.delete(child)
    // Whoever controls it left it alone because it was desired.
    const left = this.#controllerOf(child)
    return left === undefined || left === desirer.entity ? [] : [left]
  }
}

const isSame = (before: ReadonlySet<string> = new Set(), now: readonly string[]): boolean =>
  before.size === now.length && now.every((child) => before.has(child))

/** Where the desirer is, or belongs. */
function position(desirers: readonly Desirer[], desirer: Desirer): number {
  let [low, high] = [0, desirers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (byAge(desirers[middle]!, desirer) < 0) low = middle + 1
    else high = middle
  }
  return low
}
