/** The envelope every resource shares (§2.1) and the references between resources (§2.2). */
export interface Metadata {
  readonly name: string
  readonly namespace?: string | undefined
  readonly generateName?: string | undefined
  readonly uid?: string | undefined
  readonly resourceVersion?: string | undefined
  readonly generation?: number | undefined
  readonly creationTimestamp?: string | undefined
  readonly deletionTimestamp?: string | undefined
  readonly deletionGracePeriodSeconds?: number | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly annotations?: Readonly<Record<string, string>> | undefined
  readonly finalizers?: readonly string[] | undefined
  readonly ownerReferences?: readonly OwnerReference[] | undefined
  readonly managedFields?: readonly unknown[] | undefined
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean | undefined
  readonly blockOwnerDeletion?: boolean | undefined
}

export interface Resource<Spec = unknown, Status = unknown> {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Metadata
  readonly spec: Spec
  readonly status?: (Status & { readonly conditions?: readonly Condition[] | undefined }) | undefined
}

/** §2.2 ObjectRef. Two references are equal when name and namespace are; the uid is a note. */
export interface ObjectRef {
  readonly name: string
  readonly namespace: string
  readonly uid?: string | undefined
}

/** A reference that also says what it refers to (`provider`, `requestor`, `target`). */
export interface TypedRef extends ObjectRef {
  readonly apiVersion?: string | undefined
  readonly kind?: string | undefined
}

/** §2.2 Condition, an element of `status.conditions`. */
export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  readonly observedGeneration?: number | undefined
  readonly lastTransitionTime: string
}

export interface Named {
  readonly namespace: string
  readonly name: string
}

export const refTo = (o: Named): ObjectRef => ({ name: o.name, namespace: o.namespace })

export const sameRef = (a: Named | undefined, b: Named | undefined): boolean =>
  a !== undefined && b !== undefined && a.name === b.name && a.namespace === b.namespace

/** Sort order of every list that ends up in a spec or a status: namespace, then name. */
export function byNamespaceAndName(a: Named, b: Named): number {
  return compareText(a.namespace, b.namespace) || compareText(a.name, b.name)
}

/** Code-unit order: the same on every machine, unlike a locale's. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The prefix of our labels, annotations and the finalizer. */
export const PREFIX = 'cp.ei.vendor.de/'
export const FINALIZER = `${PREFIX}finalizer`
export const label = (name: string): string => PREFIX + name
