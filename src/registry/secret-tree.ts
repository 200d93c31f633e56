import type { Kind } from '#domain/kind.ts'
import type { Schema } from '#domain/schema.ts'
import { setKey } from '#lib/json.ts'

/** Where a schema has secrets: only the branches that lead to one. */
export interface SecretTree {
  readonly secret?: 'given' | 'generated' | undefined
  /** Of a secret: whether its object may be without it. */
  readonly optional?: boolean | undefined
  readonly properties?: ReadonlyMap<string, SecretTree> | undefined
  readonly items?: SecretTree | undefined
  readonly values?: SecretTree | undefined
}

/** A place that can hold a secret. `field` is the same for all items of a list, `path` is not. */
export interface Place {
  readonly path: string
  readonly field: string
  readonly secret: 'given' | 'generated'
  /** Whether its object may be without it. */
  readonly optional: boolean
}

const trees = new WeakMap<Kind, { readonly tree: SecretTree | undefined }>()

/** Undefined: the kind has no secrets. */
export function secretTree(kind: Kind): SecretTree | undefined {
  const known = trees.get(kind)
  if (known) return known.tree
  const tree = treeOf({ type: 'object', properties: { spec: kind.spec, status: kind.status } })
  trees.set(kind, { tree })
  return tree
}

function treeOf(schema: Schema): SecretTree | undefined {
  if (schema.secret !== undefined) return { secret: schema.secret }
  const items = schema.items && treeOf(schema.items)
  const values = schema.additionalProperties && treeOf(schema.additionalProperties)
  const children = Object.entries(schema.properties ?? {}).map(([key, child]) => {
    const tree = treeOf(child)
    return [key, tree?.secret && schema.required?.includes(key) !== true ? { ...tree, optional: true } : tree] as const
  })
  const properties = new Map(children.filter((entry): entry is [string, SecretTree] => entry[1] !== undefined))
  if (properties.size === 0 && !items && !values) return undefined
  return { properties: properties.size > 0 ? properties : undefined, items, values }
}

/**
 * The value with every secret replaced by what `visit` returns; parts without secrets are shared. `visit` also sees
 * absent secrets where their object is there, as undefined.
 */
export function mapSecrets(
  tree: SecretTree,
  value: unknown,
  visit: (value: unknown, place: Place) => unknown,
): unknown {
  return walk(tree, value, { path: '', field: '' }, visit)
}

type Visit = (value: unknown, place: Place) => unknown
type At = Pick<Place, 'path' | 'field'>

function walk(tree: SecretTree, value: unknown, at: At, visit: Visit): unknown {
  if (tree.secret) return visit(value, { ...at, secret: tree.secret, optional: tree.optional === true })
  if (Array.isArray(value)) return tree.items ? mapList(tree.items, value, at, visit) : value
  if (typeof value !== 'object' || value === null) return value
  const { values } = tree
  // An object where a list is expected has no secrets either; validation has something to say about it.
  const steps = tree.properties ?? (values ? Object.keys(value).map((key) => [key, values] as const) : [])
  let out = value as Record<string, unknown>
  for (const [key, child] of steps) {
    const before = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
    const field = tree.properties ? key : '*'
    const after = walk(child, before, { path: join(at.path, key), field: join(at.field, field) }, visit)
    if (after === before) continue
    if (out === value) out = { ...value }
    setKey(out, key, after)
  }
  return out
}

function mapList(items: SecretTree, list: readonly unknown[], at: At, visit: Visit): readonly unknown[] {
  const mapped = list.map((item, i) => walk(items, item, { path: `${at.path}[${i}]`, field: `${at.field}[]` }, visit))
  return mapped.some((item, i) => item !== list[i]) ? mapped : list
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

/** Every text at a secret place, in document order. */
export function secretsIn(tree: SecretTree, value: unknown): readonly (Place & { readonly text: string })[] {
  const found: (Place & { text: string })[] = []
  mapSecrets(tree, value, (text, place) => {
    if (typeof text === 'string') found.push({ ...place, text })
    return text
  })
  return found
}
