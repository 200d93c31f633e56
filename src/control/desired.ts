import { ENVIRONMENT_LABEL, environmentOf } from '#domain/environment.ts'
import { equal } from '#domain/equal.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { PREFIX, type Metadata, type OwnerReference, type Resource } from '#domain/object.ts'
import type { Child, Patch } from '#domain/plan/plan.ts'
import type { Schema } from '#domain/schema.ts'
import { normalize } from '#domain/structural.ts'
import { entityOf } from './entity.ts'
import { canRefer, OWNER_ANNOTATION, OWNER_LABEL, ownerReference } from './ownership.ts'

type Texts = Readonly<Record<string, string>>
type Spec = Readonly<Record<string, unknown>>

/** The child as it should be stored: over what exists, so that what belongs to others stays as it is. */
export function desiredChild(owner: Resource, child: Child, existing: Resource | undefined): Resource {
  const near = canRefer(owner, child.kind.scope === 'Cluster' ? '' : child.namespace)
  const mark = near ? {} : { [OWNER_LABEL]: owner.metadata.uid ?? '' }
  const note = near ? {} : { [OWNER_ANNOTATION]: entityOf(owner) }
  const metadata: Metadata = {
    ...existing?.metadata,
    ...named(child),
    labels: merged(existing?.metadata.labels, { ...child.labels, ...environmentLabel(owner, child), ...mark }),
    annotations: merged(existing?.metadata.annotations, { ...child.annotations, ...note }),
    ownerReferences: references(existing, near ? ownerReference(owner, true) : undefined),
  }
  const spec = heldBack(child, existing)
  if (existing === undefined) return drafted(child.kind, metadata, spec)
  if (equal(spec, existing.spec)) return withEnvironment(child.kind, { ...existing, metadata })
  return stored(child.kind, metadata, spec)
}

/** What is new gets its stored form from the server. */
const drafted = (kind: Kind, metadata: Metadata, spec: unknown): Resource => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata,
  spec,
})

interface Patching {
  /** Whose plan asks for it. */
  readonly by: Resource
  readonly existing: Resource | undefined
  /** Who it should go away with, if that one exists. */
  readonly owner: Resource | undefined
}

/** The object a patch asks for. */
export function patched(patch: Patch, { by, existing, owner }: Patching): Resource {
  const reference = owner !== undefined && canRefer(owner, patch.namespace) ? [ownerReference(owner, false)] : []
  const metadata: Metadata = {
    ...existing?.metadata,
    ...named(patch),
    labels: {
      ...existing?.metadata.labels,
      ...patch.labels,
      ...(existing === undefined && environmentLabel(by, patch)),
    },
    ownerReferences: existing === undefined ? reference : existing.metadata.ownerReferences,
  }
  const spec = withGenerated(patch.kind.spec, patch.spec, existing?.spec)
  return existing === undefined ? drafted(patch.kind, metadata, spec) : stored(patch.kind, metadata, spec)
}

/** Whether a write would change anything. */
export function differs(wanted: Resource, existing: Resource): boolean {
  return !(
    equal(wanted.spec, existing.spec) &&
    equal(wanted.metadata.labels ?? {}, existing.metadata.labels ?? {}) &&
    equal(wanted.metadata.annotations ?? {}, existing.metadata.annotations ?? {}) &&
    equal(wanted.metadata.ownerReferences ?? [], existing.metadata.ownerReferences ?? [])
  )
}

const named = (o: { kind: Kind; namespace: string; name: string }): Metadata =>
  o.kind.scope === 'Cluster' ? { name: o.name } : { name: o.name, namespace: o.namespace }

/** As admission would store it; otherwise every default it fills in would look like a difference. */
function stored(kind: Kind, metadata: Metadata, spec: unknown): Resource {
  const { object } = normalize(kind, { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec })
  return withEnvironment(kind, { ...object, metadata })
}

/** Decisions §3: where the namespace names an environment, the label says the same. */
export function withEnvironment(kind: Kind, object: Resource): Resource {
  const { namespace = '', labels } = object.metadata
  if (kind.scope === 'Cluster' || namespace.indexOf('--') <= 0) return object
  const environment = environmentOf(namespace)
  if (labels?.[ENVIRONMENT_LABEL] === environment) return object
  return { ...object, metadata: { ...object.metadata, labels: { ...labels, [ENVIRONMENT_LABEL]: environment } } }
}

/** What an object brings about belongs to its environment, also where the namespace names none (event-domain §0.2). */
function environmentLabel(by: Resource, { kind, namespace }: { kind: Kind; namespace: string }): Texts {
  if (kind.scope === 'Cluster' || by.metadata.namespace === undefined) return {}
  const own = environmentOf(by.metadata.namespace, by.metadata.labels)
  return { [ENVIRONMENT_LABEL]: environmentOf(namespace, { [ENVIRONMENT_LABEL]: own }) }
}

/** Exactly ours below our prefix; what others added elsewhere stays. */
function merged(existing: Texts | undefined, wanted: Texts): Texts {
  if (existing === undefined) return wanted
  const others = Object.entries(existing).filter(([key]) => !key.startsWith(PREFIX))
  return Object.fromEntries([...others, ...Object.entries(wanted)])
}

function references(existing: Resource | undefined, own: OwnerReference | undefined): readonly OwnerReference[] {
  const others = (existing?.metadata.ownerReferences ?? []).filter((r) => r.controller !== true && r.uid !== own?.uid)
  return own === undefined ? others : [...others, own]
}

/** Fields that belong to others once the object exists keep their value, also when that is "none". */
function heldBack(child: Child, existing: Resource | undefined): unknown {
  if (existing === undefined) return child.spec
  const start = withGenerated(child.kind.spec, child.spec, existing.spec)
  return (child.initial ?? []).reduce((spec, path) => copied(spec, existing.spec, path.split('.')), start)
}

function copied(spec: unknown, from: unknown, path: readonly string[]): unknown {
  const [field, ...rest] = path
  if (field === undefined) return from
  const { [field]: mine, ...others } = asSpec(spec)
  const theirs = own(asSpec(from), field)
  const value = rest.length === 0 ? theirs : copied(mine, theirs, rest)
  return value === undefined ? others : { ...others, [field]: value }
}

/** Secrets the server generated are not the planner's to say. */
function withGenerated(schema: Schema, spec: unknown, existing: unknown): unknown {
  if (!hasGenerated(schema) || typeof spec !== 'object' || spec === null || Array.isArray(spec)) return spec
  const changed = Object.entries(schema.properties ?? {}).flatMap(([field, inner]): [string, unknown][] => {
    const mine = own(asSpec(spec), field)
    const theirs = own(asSpec(existing), field)
    const value = inner.secret === 'generated' ? (mine ?? theirs) : withGenerated(inner, mine, theirs)
    return value === mine ? [] : [[field, value]]
  })
  return changed.length === 0 ? spec : { ...spec, ...Object.fromEntries(changed) }
}

const generating = new WeakMap<Schema, boolean>()

function hasGenerated(schema: Schema): boolean {
  const known = generating.get(schema)
  if (known !== undefined) return known
  const found = Object.values(schema.properties ?? {}).some(
    (inner) => inner.secret === 'generated' || hasGenerated(inner),
  )
  generating.set(schema, found)
  return found
}

const asSpec = (value: unknown): Spec => (typeof value === 'object' && value !== null ? (value as Spec) : {})
const own = (object: Spec, field: string): unknown => (Object.hasOwn(object, field) ? object[field] : undefined)
