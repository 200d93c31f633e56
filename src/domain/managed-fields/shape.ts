import type { Kind } from '#domain/kind.ts'
import { compareText } from '#domain/object.ts'
import type { Schema } from '#domain/schema.ts'
import { MetadataFields } from '#domain/structural-metadata.ts'
import { assertOwnable } from '#domain/structural-object.ts'
import { fieldStep, type ItemKey } from './field-step.ts'

/** How a value is divided into fields that can have different owners. */
export type Shape = Atom | Fields | SetList | ItemList

/** Owned as a whole. */
export interface Atom {
  readonly type: 'atom'
}

export interface Field {
  readonly key: string
  readonly step: string
  readonly shape: Shape
}

export interface Fields {
  readonly type: 'fields'
  readonly fields: readonly Field[]
  readonly byKey: ReadonlyMap<string, Field>
  /** The shape of every other key. Undefined: other keys are unknown. */
  readonly rest: Shape | undefined
  /** Keys that are known and belong to the server or to another part of the object. */
  readonly foreign: ReadonlySet<string>
  /** Nobody owns the place itself: `metadata` is always there. */
  readonly bare: boolean
}

export interface SetList {
  readonly type: 'set'
}

export interface ItemList {
  readonly type: 'items'
  readonly keys: readonly ItemKey[]
  readonly item: Shape
}

const ATOM: Atom = { type: 'atom' }
const SET: SetList = { type: 'set' }
const NONE: ReadonlySet<string> = new Set()

interface FieldsOptions extends Partial<Pick<Fields, 'rest' | 'foreign' | 'bare'>> {
  readonly of?: Readonly<Record<string, Shape>>
}

function fields({ of = {}, rest, foreign = NONE, bare = false }: FieldsOptions): Fields {
  const list = Object.entries(of).map(([key, shape]) => ({ key: assertOwnable(key), step: fieldStep(key), shape }))
  return { type: 'fields', fields: list, byKey: new Map(list.map((field) => [field.key, field])), rest, foreign, bare }
}

/** Content without a schema: maps are divided, lists are not, as Kubernetes does for preserved unknown fields. */
const FREE: Fields = fields({})
;(FREE as { rest: Shape }).rest = FREE

/** The shapes of what a main write owns, of what a write of the status owns, and of both together. */
export interface Shapes {
  readonly main: Fields
  readonly status: Fields
  readonly whole: Fields
}

const cache = new WeakMap<Kind, Shapes>()

export function shapesOf(kind: Kind): Shapes {
  const known = cache.get(kind)
  if (known) return known
  const parts = { metadata: METADATA, spec: shapeOf(kind.spec, kind.preserveUnknown) }
  const status = shapeOf(kind.status, kind.preserveUnknown)
  const rest = kind.preserveUnknown ? FREE : undefined
  const ownSpec = kind.group === '' && kind.kind === 'Namespace'
  const main = ownSpec
    ? fields({ of: { metadata: METADATA }, foreign: new Set(['apiVersion', 'kind', 'spec', 'status']), bare: true })
    : fields({ of: parts, rest, foreign: new Set(['apiVersion', 'kind', 'status']), bare: true })
  const shapes = {
    main,
    status: fields({ of: { status }, foreign: new Set(['apiVersion', 'kind', 'metadata', 'spec']), bare: true }),
    whole: fields({ of: { ...parts, status }, rest, foreign: new Set(['apiVersion', 'kind']), bare: true }),
  }
  cache.set(kind, shapes)
  return shapes
}

const OWNED_METADATA: Readonly<Record<string, Shape>> = {
  generateName: ATOM,
  labels: fields({ rest: ATOM }),
  annotations: fields({ rest: ATOM }),
  finalizers: SET,
  ownerReferences: { type: 'items', keys: [{ name: 'uid', fallback: undefined }], item: ATOM },
}

const METADATA = fields({
  of: OWNED_METADATA,
  foreign: new Set(Object.keys(MetadataFields.properties ?? {}).filter((key) => !Object.hasOwn(OWNED_METADATA, key))),
  bare: true,
})

function shapeOf(schema: Schema, preserveAll: boolean): Shape {
  if (schema.type === 'array') return listShape(schema, preserveAll)
  if (schema.type !== 'object') return ATOM
  if (schema.additionalProperties) return fields({ rest: shapeOf(schema.additionalProperties, preserveAll) })
  const of = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([key, child]) => [key, shapeOf(child, preserveAll)]),
  )
  return fields({ of, rest: preserveAll || schema.preserveUnknown === true ? FREE : undefined })
}

function listShape({ listType, listMapKeys = [], items }: Schema, preserveAll: boolean): Shape {
  if (listType === 'set') return SET
  if (listType !== 'map' || items === undefined || listMapKeys.length === 0) return ATOM
  const keys = listMapKeys.map((name) => ({ name, fallback: items.properties?.[name]?.default }))
  return {
    type: 'items',
    keys: keys.toSorted((a, b) => compareText(a.name, b.name)),
    item: shapeOf(items, preserveAll),
  }
}
