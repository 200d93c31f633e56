import { equal } from '#domain/equal.ts'
import { FINALIZER, type Resource } from '#domain/object.ts'
import type { Child, ChildRef, Plan } from '#domain/plan/plan.ts'
import { desiredChild, differs } from './desired.ts'
import { entityAt, entityOf, kindId } from './entity.ts'
import { isReady } from './facets.ts'
import type { Facts } from './facts.ts'
import { controls, isInherited, isThere, ownerEntity, OWNER_ANNOTATION } from './ownership.ts'

/** What is to be done about one child. */
export type Move = { readonly child: Child; readonly entity: string } & (
  | { readonly type: 'none'; readonly current: Resource }
  | { readonly type: 'create'; readonly wanted: Resource }
  | { readonly type: 'update'; readonly wanted: Resource; readonly current: Resource }
  /** Another plan writes it; this one only waits for it. */
  | { readonly type: 'shared'; readonly current: Resource | undefined; readonly until?: 'warm' | 'idle' }
  | { readonly type: 'foreign'; readonly current: Resource }
  /** Being deleted: it is made again when it is gone. */
  | { readonly type: 'leaving'; readonly current: Resource }
)

export const entityOfRef = (ref: ChildRef): string => entityAt(ref.kind, ref)

export const nameOfRef = (ref: ChildRef): string =>
  `${ref.kind.kind} ${ref.kind.scope === 'Cluster' ? ref.name : `${ref.namespace}/${ref.name}`}`

export function decideChildren(facts: Facts, self: Resource, plan: Plan): readonly Move[] {
  const moves = plan.children.map((child) => decideChild(facts, self, child))
  const twin = moves.find((move, i) => moves.findIndex((other) => other.entity === move.entity) !== i)
  if (twin !== undefined) throw new Error(`the plan names ${nameOfRef(twin.child)} twice`)
  return moves
}

function decideChild(facts: Facts, self: Resource, child: Child): Move {
  const entity = entityOfRef(child)
  const current = facts.cache.get(entity)
  const base = { child, entity }
  const own = entityOf(self)
  const writes = (facts.desires.writer(entity) ?? own) === own
  if (current === undefined) {
    if (!writes) return { ...base, type: 'shared', current }
    return { ...base, type: 'create', wanted: guarded(facts, child, desiredChild(self, child, undefined)) }
  }
  if (current.metadata.deletionTimestamp !== undefined) return { ...base, type: 'leaving', current }
  if (!isOurs(facts, current)) {
    if (isCommonGround(child)) return { ...base, type: 'shared', current }
    return { ...base, type: 'foreign', current }
  }
  if (!writes) return { ...base, type: 'shared', current }
  if (!facts.warm && !controls(self, current) && hasLivingOwner(facts, current, self)) {
    return { ...base, type: 'shared', current, until: 'warm' }
  }
  const wanted = desiredChild(self, child, current)
  const same = !differs(wanted, current) || facts.isSettled(wanted, current)
  if (!same && isOnlyHandOver(facts, { self, current, wanted, entity }))
    return { ...base, type: 'shared', current, until: 'idle' }
  return same ? { ...base, type: 'none', current } : { ...base, type: 'update', wanted, current }
}

/** The finalizer an effect will need comes with the object: adding it later would be one more write. */
const guarded = (facts: Facts, { kind }: Child, wanted: Resource): Resource =>
  facts.isGuarded(kindId(kind)) ? withFinalizer(wanted) : wanted

/**
 * An older plan has come to desire the child, and nothing about it would change but its owner. With many of them at once it
 * would change hands again and again, so that waits until the engine is idle and it is clear who the oldest is.
 */
function isOnlyHandOver(
  facts: Facts,
  { self, current, wanted, entity }: { self: Resource; current: Resource; wanted: Resource; entity: string },
): boolean {
  if (controls(self, current) || facts.mayTakeOver(entity)) return false
  const owner = ownerEntity(current, facts.cache)
  if (owner === undefined || owner === entityOf(self)) return false
  return facts.desires.has(entity, owner) && equal(wanted.spec, current.spec)
}

/** Namespaces come with the first write into them (decisions §2.3): one that is there already serves as it is. */
const isCommonGround = ({ kind }: Child): boolean => kind.group === '' && kind.kind === 'Namespace'

/** Made by one of our plans: it carries our mark, or is controlled by an object of a kind we plan. */
function isOurs(facts: Facts, resource: Resource): boolean {
  const controller = resource.metadata.ownerReferences?.find((r) => r.controller === true)
  if (controller !== undefined) return facts.isControlled(`${controller.apiVersion}/${controller.kind}`)
  return resource.metadata.annotations?.[OWNER_ANNOTATION] !== undefined
}

function hasLivingOwner(facts: Facts, resource: Resource, self: Resource): boolean {
  const owner = ownerEntity(resource, facts.cache)
  return owner !== undefined && owner !== entityOf(self) && isThere(owner, facts.cache)
}

/** The children the owner still waits for, given their newest states. */
export function unreadyChildren(
  facts: Facts,
  moves: readonly Move[],
  states: ReadonlyMap<string, Resource>,
): readonly string[] {
  return moves
    .filter((move) => !isSatisfied(facts, move.child, states.get(move.entity)))
    .map((move) => nameOfRef(move.child))
}

function isSatisfied(facts: Facts, child: Child, state: Resource | undefined): boolean {
  if (state === undefined || state.metadata.deletionTimestamp !== undefined) return false
  return child.needs === 'exists' || !facts.isControlled(kindId(child.kind)) || isReady(state)
}

/**
 * What goes now: by decision (`remove`, denied) at once; by absence from a complete plan only when the rest is ready, unless
 * the plan says at once. What a predecessor of the same name left goes whatever the plan. Not before every planner had a
 * chance to say that it desires it.
 */
export function decideRemovals(facts: Facts, self: Resource, plan: Plan, allReady: boolean): Removals {
  const named = new Set(plan.remove.map(entityOfRef))
  const spared = new Set([...plan.children, ...plan.keep].map(entityOfRef))
  const byDecision: Resource[] = []
  const inherited: Resource[] = []
  const unwanted: Resource[] = []
  for (const resource of facts.owned.of(self)) {
    const entity = entityOf(resource)
    const isNamed = named.has(entity)
    if ((!isNamed && spared.has(entity)) || !isRemovable(facts, self, resource)) continue
    if (isNamed) byDecision.push(resource)
    else if (isInherited(self, resource)) inherited.push(resource)
    else unwanted.push(resource)
  }
  if (plan.outcome === 'denied') return { now: [...byDecision, ...inherited, ...unwanted], later: false }
  const prunes = plan.prunesAtOnce === true || (plan.outcome === 'desired' && allReady)
  const rest = prunes ? [...inherited, ...unwanted] : inherited
  if (!facts.warm) return { now: byDecision, later: rest.length > 0 }
  return { now: [...byDecision, ...rest], later: false }
}

export interface Removals {
  readonly now: readonly Resource[]
  /** More is to go, but only when every planner has run. */
  readonly later: boolean
}

function isRemovable(facts: Facts, self: Resource, resource: Resource): boolean {
  if (resource.metadata.deletionTimestamp !== undefined) return false
  if (!controls(self, resource) && !isInherited(self, resource)) return false
  // Somebody else wants it: it changes hands when that one runs.
  return !facts.desires.isDesired(entityOf(resource), entityOf(self))
}

export const hasFinalizer = (self: Resource): boolean => self.metadata.finalizers?.includes(FINALIZER) === true

export const withFinalizer = (self: Resource): Resource => ({
  ...self,
  metadata: { ...self.metadata, finalizers: [...(self.metadata.finalizers ?? []), FINALIZER] },
})
