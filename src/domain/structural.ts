import type { FieldError } from './errors.ts'
import type { Kind } from './kind.ts'
import type { Resource } from './object.ts'
import { s, type Schema } from './schema.ts'
import { MetadataFields } from './structural-metadata.ts'
import { compileNormalize, type Normalize } from './structural-normalize.ts'
import { type Check, required } from './validate-error.ts'
import { compileCheck } from './validate-schema.ts'

export interface Normalized {
  /** In its stored form; not yet known to be valid. Parts that did not change are shared with the input. */
  readonly object: Resource
  /** Paths of the fields that were pruned: those of `metadata` first, then by name, as kube-apiserver lists them. */
  readonly unknown: readonly string[]
}

export interface NormalizeOptions {
  /** Keep unknown fields, as a kind that preserves them does. */
  readonly preserve?: boolean
}

/**
 * A copy of a whole object in which unknown fields are pruned, nulls are dropped (a null property is an absent one) and
 * defaults are filled in. Values of the wrong type are left for `validate` to refuse.
 */
export function normalize(kind: Kind, object: object, options: NormalizeOptions = {}): Normalized {
  const pruning = { preserve: options.preserve === true, unknown: [] as string[] }
  const out = compiled(kind).normalize(object, '', '', pruning) as Resource
  return { object: out, unknown: pruning.unknown.length === 0 ? pruning.unknown : ordered(pruning.unknown) }
}

/**
 * Everything wrong with the spec of a normalized object, in document order, at most 100 violations. The status is not
 * looked at: writes of an object drop it (§2.1). Metadata, apiVersion and kind are the registry's to judge.
 */
export function validate(kind: Kind, object: Pick<Resource, 'spec'>): readonly FieldError[] {
  const errors: FieldError[] = []
  if (object.spec !== undefined && object.spec !== null) compiled(kind).checkSpec(object.spec, '', '.spec', errors)
  else if (kind.specRequired) required(errors, '', '.spec')
  return errors
}

/** Everything wrong with the status of a normalized object; no status at all is fine. */
export function validateStatus(kind: Kind, object: Pick<Resource, 'status'>): readonly FieldError[] {
  const errors: FieldError[] = []
  const status: unknown = object.status
  if (status !== undefined && status !== null) compiled(kind).checkStatus(status, '', '.status', errors)
  return errors
}

interface Compiled {
  readonly normalize: Normalize
  readonly checkSpec: Check
  readonly checkStatus: Check
}

const cache = new WeakMap<Kind, Compiled>()

function compiled(kind: Kind): Compiled {
  const known = cache.get(kind)
  if (known !== undefined) return known
  const fresh: Compiled = {
    normalize: compileNormalize(rootOf(kind), kind.preserveUnknown) ?? ((value) => value),
    checkSpec: compileCheck(kind.spec),
    checkStatus: compileCheck(kind.status),
  }
  cache.set(kind, fresh)
  return fresh
}

function rootOf(kind: Kind): Schema {
  return s.object({
    apiVersion: s.string(),
    kind: s.string(),
    metadata: MetadataFields,
    spec: kind.spec,
    status: kind.status,
  })
}

function ordered(paths: readonly string[]): string[] {
  const all = paths.map((path) => path.slice(1)).toSorted()
  const inMetadata = (path: string): boolean => path.startsWith('metadata.')
  return [...all.filter(inMetadata), ...all.filter((path) => !inMetadata(path))]
}
