import { blocked, done, notReady, ready, type Verdict } from '#domain/condition.ts'
import type { Kind, SpecOf } from '#domain/kind.ts'
import type { Named, TypedRef } from '#domain/object.ts'
import type { OwnView, World } from './world.ts'

/** A planner states, for one object, everything that should exist because of it. A pure function of what it reads. */
export type Planner<Spec = any, Status = any> = (self: OwnView<Spec, Status>, world: World) => Plan<Status>

/**
 * What a planner decided about one object.
 *
 * `waiting` and `denied` both provision nothing, but they differ in what happens to what already exists: ignorance
 * never deletes, a decision does (§3).
 */
export interface Plan<Status = unknown> {
  /**
   * `desired`: `children` is the complete set; what the object owns and is neither here nor kept is pruned, once all children
   * are ready. `waiting`: children are written, nothing is pruned. `denied`: like desired, but pruned at once.
   */
  readonly outcome: 'desired' | 'waiting' | 'denied'
  readonly children: readonly Child[]
  /** Children that cannot be computed right now: not created, not changed, not pruned. */
  readonly keep: readonly ChildRef[]
  /** Deleted at once, if this object owns them: a decision, not ignorance. */
  readonly remove: readonly ChildRef[]
  /** What the object owns and the plan does not name goes at once, whatever else is not ready or not known. */
  readonly prunesAtOnce?: boolean
  /** Changes to objects this one does not own. */
  readonly patches: readonly Patch[]
  /** The whole status but the conditions. */
  readonly status: Status
  /**
   * The whole list of conditions. When the plan says Ready=True, the engine turns it into False/SubResourceNotReady
   * while a child is not ready.
   */
  readonly conditions: readonly Verdict[]
  /** For kinds with an actuator: what should be true outside the store, as plain data. Absent: nothing is done there. */
  readonly effect?: unknown
}

/** An object that should exist, exactly so. Its owner is the planned object; deterministic names make it findable. */
export interface Child<K extends Kind<any, any> = Kind<any, any>> {
  readonly kind: K
  readonly namespace: string
  readonly name: string
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly annotations?: Readonly<Record<string, string>> | undefined
  readonly spec: SpecOf<K>
  /** What the owner's readiness asks of it; `ready` unless said otherwise. */
  readonly needs?: 'ready' | 'exists' | undefined
  /**
   * Fields of the spec that belong to others once the object exists (a decision made by a person): written on
   * creation, left alone later.
   */
  readonly initial?: readonly string[] | undefined
}

export interface ChildRef extends Named {
  readonly kind: Kind<any, any>
}

/**
 * A change to an object the planner does not own: the whole spec it should have. Refused quietly when the object is
 * no longer the version the plan read; the plan then runs again on the newer one.
 */
export interface Patch<K extends Kind<any, any> = Kind<any, any>> extends Named {
  readonly kind: K
  /** The version the plan read; `absent` creates the object. Not needed where `unless` says when to write. */
  readonly expect?: string | 'absent' | undefined
  /** An object for which this holds is left as it is. The plan need not read it, and so does not run again when it is written. */
  readonly unless?: ((spec: SpecOf<K>) => boolean) | undefined
  readonly spec: SpecOf<K>
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** For a created object: who owns it. */
  readonly owner?: TypedRef | undefined
}

export const child = <K extends Kind<any, any>>(kind: K, c: Omit<Child<K>, 'kind'>): Child<K> => ({ kind, ...c })
export const childRef = (kind: Kind<any, any>, ref: Named): ChildRef => ({
  kind,
  namespace: ref.namespace,
  name: ref.name,
})

type Parts<Status> = Partial<Omit<Plan<Status>, 'outcome' | 'status'>> & { readonly status: Status }

const parts = <Status>(p: Parts<Status>): Omit<Plan<Status>, 'outcome' | 'conditions'> => ({
  children: p.children ?? [],
  keep: p.keep ?? [],
  remove: p.remove ?? [],
  ...(p.prunesAtOnce === true && { prunesAtOnce: true }),
  patches: p.patches ?? [],
  status: p.status,
  ...(p.effect === undefined ? {} : { effect: p.effect }),
})

/** Everything is known: this is the world as it should be, and Ready once the children are. */
export function provisioned<Status>(
  p: Parts<Status> & { readonly reason?: string; readonly message?: string },
): Plan<Status> {
  const verdicts = [ready(p.reason ?? 'Provisioned', p.message ?? 'Provisioned'), done(), ...(p.conditions ?? [])]
  return { outcome: 'desired', ...parts(p), conditions: verdicts }
}

/** Something outside has to change first. What exists stays, but for what `remove` names. */
export function waiting<Status>(reason: string, message: string, p: Parts<Status>): Plan<Status> {
  const verdicts = [notReady(reason, message), blocked(message), ...(p.conditions ?? [])]
  return { outcome: 'waiting', ...parts(p), conditions: verdicts }
}

/** A decision against it: what was provisioned goes at once, but for what `children` and `keep` name. */
export function denied<Status>(reason: string, message: string, p: Parts<Status>): Plan<Status> {
  const verdicts = [notReady(reason, message), done(message), ...(p.conditions ?? [])]
  return { outcome: 'denied', ...parts(p), conditions: verdicts }
}
