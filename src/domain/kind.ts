import type { FieldError } from './errors.ts'
import type { Condition, ObjectRef, Resource } from './object.ts'
import type { Schema } from './schema.ts'
import { s } from './schema.ts'

/** A column of `kubectl get`. `path` is the JSONPath subset of `column.ts`; priority 1 shows with `-o wide` only. */
export interface Column {
  readonly name: string
  readonly type: 'string' | 'integer' | 'boolean' | 'date'
  readonly path: string
  /** Shown instead of what is at `path`, where no single path tells it. Only for kinds no CRD is made of. */
  readonly value?: (object: any) => unknown
  readonly priority?: 0 | 1
  readonly doc?: string
}

/** Who asks, as authenticated. `platform` is the control plane itself. */
export interface User {
  readonly name: string
  readonly email?: string | undefined
  readonly groups: readonly string[]
  readonly platform?: boolean | undefined
}

/** What a kind's own admission sees: the defaulted, schema-valid object and what it replaces. */
export interface Admission<Spec, Status> {
  readonly operation: 'create' | 'update'
  readonly object: Resource<Spec, Status>
  readonly old: Resource<Spec, Status> | undefined
  readonly user: User
  /** RFC 3339 */
  readonly now: string
}

/** `object` may be a changed copy (stamped decisions, derived labels). Errors refuse the write with 422. */
export interface Admitted<Spec, Status> {
  readonly object: Resource<Spec, Status>
  readonly errors?: readonly FieldError[] | undefined
  /** Refuses the write with 403. */
  readonly forbidden?: string | undefined
  readonly warnings?: readonly string[] | undefined
}

/**
 * A kind: one value from which everything about it derives. `Spec` includes `undefined` for the kinds whose spec may
 * be absent (§2.3, §2.4). `Kind` alone is any kind: `unknown` would refuse those with an `admit` of their own.
 */
export interface Kind<Spec = any, Status = any> {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly scope: 'Namespaced' | 'Cluster'
  readonly doc: string
  readonly spec: Schema
  readonly specRequired: boolean
  /** Includes `conditions`. */
  readonly status: Schema
  /** Unknown fields anywhere in the object are kept (§2.3), also in `metadata`. */
  readonly preserveUnknown: boolean
  readonly columns: readonly Column[]
  /** Kinds people write themselves, as opposed to the ones we generate; only a hint for documentation and console. */
  readonly written: 'by-people' | 'by-platform'
  /** A method, so that a kind of any spec is a `Kind`. */
  admit?(request: Admission<Spec, Status>): Admitted<Spec, Status>
  /** Never set: carries the types. */
  readonly types?: { readonly spec: Spec; readonly status: Status }
}

export type SpecOf<K> = K extends Kind<infer Spec, infer _Status> ? Spec : never
export type StatusOf<K> = K extends Kind<infer _Spec, infer Status> ? Status : never
export type ResourceOf<K> = Resource<SpecOf<K>, StatusOf<K>>

/** §2.2 Condition, to the last limit. */
export const ConditionSchema = s.object(
  {
    lastTransitionTime: s.time({ doc: 'When the status of the condition last changed.' }),
    message: s.string({ maxLength: 32768, doc: 'What is the case, and what to do about it.' }),
    reason: s.string({
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
      doc: 'Why, as one word for programs.',
    }),
    status: s.oneOf(['True', 'False', 'Unknown'], { doc: 'Whether the condition holds.' }),
    type: s.string({
      doc: 'What the condition is about; the key of the list.',
      maxLength: 316,
      pattern:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
    }),
  },
  { observedGeneration: s.integer({ format: 'int64', minimum: 0, doc: 'The generation the condition was set for.' }) },
)

const Conditions = s.list(ConditionSchema, {
  listType: 'map',
  listMapKeys: ['type'],
  doc: 'The latest observations of the state of the object.',
}) as Schema<readonly Condition[]>

const refFields = {
  name: s.string({ doc: 'Name of the object referred to.' }),
  namespace: s.string({ doc: 'Namespace of the object referred to.' }),
}
const uid = s.string({ doc: 'Uid of the object referred to; a note only, never compared.' })

export const ObjectRefSchema = s.object(refFields, { uid })

export const TypedRefSchema = s.object(refFields, {
  apiVersion: s.string({ doc: 'apiVersion of the object referred to.' }),
  kind: s.string({ doc: 'Kind of the object referred to.' }),
  uid,
})

/** A reference with its own description, as in `ref('The zone of the subscription.')`. */
export const ref = (doc: string): typeof ObjectRefSchema => s.but(ObjectRefSchema, { doc })
export const refs = (doc: string): Schema<readonly ObjectRef[]> => s.list(ObjectRefSchema, { doc })

interface Declaration<Spec, Status> {
  readonly group: string
  readonly kind: string
  readonly plural: string
  readonly shortNames?: readonly string[]
  readonly scope?: 'Namespaced' | 'Cluster'
  readonly doc: string
  readonly spec: Schema<Spec>
  /** Without `conditions`: they are added. */
  readonly status: Schema<Status>
  readonly columns: readonly Column[]
  readonly preserveUnknown?: boolean
  readonly written?: Kind['written']
  readonly admit?: (request: Admission<Spec, Status>) => Admitted<Spec, Status>
}

/** A kind whose spec is required. */
export function defineKind<Spec, Status>(d: Declaration<Spec, Status>): Kind<Spec, Status> {
  return complete(d, true)
}

/** A kind that is accepted without a spec (§2.3, §2.4). */
export function defineKindWithOptionalSpec<Spec, Status>(d: Declaration<Spec, Status>): Kind<Spec | undefined, Status> {
  return complete(d as Declaration<Spec | undefined, Status>, false)
}

function complete<Spec, Status>(d: Declaration<Spec, Status>, specRequired: boolean): Kind<Spec, Status> {
  const status: Schema = { ...d.status, properties: { ...d.status.properties, conditions: Conditions } }
  return {
    group: d.group,
    version: 'v1',
    kind: d.kind,
    plural: d.plural,
    singular: d.kind.toLowerCase(),
    shortNames: d.shortNames ?? [],
    categories: ['stellwerk'],
    scope: d.scope ?? 'Namespaced',
    doc: d.doc,
    spec: d.spec,
    specRequired,
    status,
    preserveUnknown: d.preserveUnknown ?? false,
    columns: d.columns,
    written: d.written ?? 'by-people',
    ...(d.admit === undefined ? {} : { admit: d.admit }),
  }
}

export const apiVersionOf = (kind: Pick<Kind, 'group' | 'version'>): string =>
  kind.group === '' ? kind.version : `${kind.group}/${kind.version}`

/** For what lives in a zone, or serves one from a team's namespace, without a field that says so. */
export const ZONE_COLUMN: Column = {
  name: 'Zone',
  type: 'string',
  path: '.metadata.labels.cp\\.ei\\.vendor\\.de/zone',
  doc: 'The zone it is for.',
}

/** The columns nearly every kind ends with. */
export const READY_COLUMNS: readonly Column[] = [
  { name: 'Ready', type: 'string', path: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Reason', type: 'string', path: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: 'Message', type: 'string', path: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
  { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' },
]
