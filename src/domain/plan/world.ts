import type { Kind, SpecOf, StatusOf } from '#domain/kind.ts'
import type { Condition, Metadata, Named, Resource } from '#domain/object.ts'

/**
 * What a planner can see: a synchronous, read-only, indexed view of every resource at one moment.
 *
 * Every read is recorded, and the plan runs again exactly when an answer it got would be different now. So read as
 * little as needed, and read it here: whatever does not come from the world must not influence a plan.
 */
export interface World {
  /** Facts of the installation; constant while the process runs. */
  readonly installation: Installation
  /** Recorded: whether the object exists (under the same uid); its parts are recorded as they are looked at. */
  get<K extends Kind>(kind: K, ref: Named): View<SpecOf<K>, StatusOf<K>> | undefined
  /** The objects an index holds under `key`, by namespace and name. Recorded: which objects these are. */
  list<Spec, Status>(index: Index<Spec, Status>, key: string): readonly View<Spec, Status>[]
  /** The distinct values an aggregate holds under `key`, sorted. Recorded: this set. */
  values(aggregate: Aggregate, key: string): readonly string[]
  /**
   * The value of a derivation, computed once for all plans that ask with the same arguments. Recorded: the value. When
   * something the derivation read changes, it is computed again, and its readers run only if the value differs.
   */
  derive<A extends readonly string[], T>(derivation: Derivation<A, T>, ...args: A): T
  /** Whether `time` (RFC 3339) has come; if not, the plan runs again when it does. */
  reached(time: string): boolean
}

export interface Installation {
  /** The base of the issuers of zones that name no identity provider, without a trailing slash. */
  readonly issuerBase: string
}

/** One object. Identity is free to look at; each other part is recorded when it is first looked at. */
export interface View<Spec = unknown, Status = unknown> {
  readonly kind: string
  readonly apiVersion: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** creationTimestamp */
  readonly created: string
  /** Not recorded: only for the compare-and-set of a patch. */
  readonly resourceVersion: string
  /** Facet metadata: labels, annotations, owner and deletion. */
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly deleting: boolean
  /** The uid of the controlling owner, if any. */
  readonly controllerUid: string | undefined
  /** Facet spec. */
  readonly generation: number
  readonly spec: Spec
  /** Facet status: everything but the conditions. Empty when nothing was observed yet. */
  readonly status: Partial<Status>
  /** Facet ready: Ready=True for the current generation. */
  readonly ready: boolean
  /** Facet conditions: any of them, without their times. */
  condition(type: string): Condition | undefined
}

/** The object a plan is made for. */
export interface OwnView<Spec = unknown, Status = unknown> extends View<Spec, Status> {
  /**
   * The status, not recorded: where what the plan writes there does not change what it would plan. What anyone else does
   * to it makes the plan run in any case, which is why only the own object has this.
   */
  readonly lastStatus: Partial<Status>
}

/** What indexes may look at. A change of anything else does not make them look again. */
export type Indexed<Spec, Status> = Omit<Resource<Spec, Status>, 'metadata'> & {
  readonly metadata: Pick<
    Metadata,
    | 'name'
    | 'namespace'
    | 'uid'
    | 'creationTimestamp'
    | 'generation'
    | 'labels'
    | 'annotations'
    | 'ownerReferences'
    | 'deletionTimestamp'
  >
}

/** Finds objects of a kind by what they say. Built on first use, then kept current. Declare it once, as a constant. */
export interface Index<Spec = unknown, Status = unknown> {
  readonly name: string
  readonly kind: Kind<Spec, Status>
  readonly keys: (object: Indexed<Spec, Status>) => readonly string[]
}

/** Like an index, but its readers see only the distinct values, so they sleep while these stay the same. */
export interface Aggregate<Spec = any, Status = any> {
  readonly name: string
  readonly kind: Kind<Spec, Status>
  readonly entries: (object: Indexed<Spec, Status>) => readonly { readonly key: string; readonly value: string }[]
}

/** A pure function of the world, identified by its function object: declare it once, at module level. */
export type Derivation<A extends readonly string[], T> = (world: World, ...args: A) => T

export const defineIndex = <Spec, Status>(index: Index<Spec, Status>): Index<Spec, Status> => index
export const defineAggregate = <Spec, Status>(aggregate: Aggregate<Spec, Status>): Aggregate<Spec, Status> => aggregate

/** Parts of an index key. The separator cannot occur in a name or a namespace. */
export const indexKey = (...parts: readonly string[]): string => parts.join('|')

/** Order in time (decisions §4.5): creationTimestamp, then namespace, then name. */
export function oldest<V extends Pick<View, 'created' | 'namespace' | 'name'>>(views: readonly V[]): V | undefined {
  let first: V | undefined
  for (const view of views) if (first === undefined || byAge(view, first) < 0) first = view
  return first
}

export function byAge(a: Pick<View, 'created' | 'namespace' | 'name'>, b: typeof a): number {
  if (a.created !== b.created) return a.created < b.created ? -1 : 1
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1
  if (a.name !== b.name) return a.name < b.name ? -1 : 1
  return 0
}
