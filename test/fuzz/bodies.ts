import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { basePath, type Case, collectionPath, type Family } from './case.ts'
import { encodeWith, pickFragment, PLACE } from './hostile-json.ts'
import { hostileValues } from './hostile-values.ts'
import type { Random } from './random.ts'
import { schemaPaths, type SchemaPath, withValueAt } from './schema-paths.ts'
import { validObjectOf } from './valid-value.ts'

const places = new WeakMap<Kind, { readonly spec: readonly SchemaPath[]; readonly status: readonly SchemaPath[] }>()

/** Every place in a kind, computed once. */
export function placesOf(kind: Kind): { readonly spec: readonly SchemaPath[]; readonly status: readonly SchemaPath[] } {
  const known = places.get(kind)
  if (known !== undefined) return known
  const fresh = { spec: schemaPaths(kind.spec, ['spec']), status: schemaPaths(kind.status, ['status']) }
  places.set(kind, fresh)
  return fresh
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

/** Where a body goes: a new object, the base object, or the status of the base object. */
function target(kind: Kind, random: Random): Pick<Case, 'method' | 'path'> & { readonly status: boolean } {
  const roll = random.next()
  if (roll < 0.6) return { method: 'POST', path: collectionPath(kind), status: false }
  if (roll < 0.8) return { method: 'PUT', path: basePath(kind), status: false }
  return { method: 'PUT', path: `${basePath(kind)}/status`, status: true }
}

function named(kind: Kind, random: Random, method: string): any {
  const optional = random.pick([0, 0.3, 0.6])
  return validObjectOf(kind, random, optional, method === 'POST' ? `f-${random.text(8)}` : undefined)
}

/** A valid object with one value its schema does not expect. */
export const wrongValues: Family = (random, { kinds }) => {
  const kind = random.pick(kinds)
  const { method, path, status } = target(kind, random)
  const { steps, schema } = random.pick(status ? placesOf(kind).status : placesOf(kind).spec)
  const { what, value, refused } = random.pick(hostileValues(schema, random))
  const body = json(withValueAt(named(kind, random, method), steps, value))
  return { what: `${what} at ${steps.join('.')}`, method, path, body, refused }
}

/** A valid object with something no encoder writes, anywhere in it. */
export const wrongJson: Family = (random, { kinds }) => {
  const kind = random.pick(kinds)
  const { method, path, status } = target(kind, random)
  const own = random.pick(status ? placesOf(kind).status : placesOf(kind).spec).steps
  const steps = random.chance(0.6) ? own : random.pick(ENVELOPE)
  const { what, bytes, refused } = pickFragment(random)
  const body = encodeWith(withValueAt(named(kind, random, method), steps, PLACE), bytes)
  return { what: `${what} at ${steps.join('.')}`, method, path, body, refused }
}

const ENVELOPE = [
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'generateName'],
  ['metadata', 'labels'],
  ['metadata', 'labels', 'some'],
  ['metadata', 'annotations'],
  ['metadata', 'annotations', 'some'],
  ['metadata', 'finalizers'],
  ['metadata', 'ownerReferences'],
  ['metadata', 'managedFields'],
  ['metadata', 'generation'],
  ['metadata', 'creationTimestamp'],
  ['metadata', 'uid'],
  ['metadata', 'resourceVersion'],
  ['unknown'],
  ['spec'],
  ['status'],
]

/** Bodies that are no object of this kind at all. */
export const wrongDocuments: Family = (random, { kinds }) => {
  const kind = random.pick(kinds)
  const { method, path } = target(kind, random)
  const object = named(kind, random, method)
  const text = JSON.stringify(object)
  const other = random.pick(kinds.filter((k) => k !== kind))
  const [what, body] = random.pick<readonly [string, string | Buffer]>([
    ['no bytes', ''],
    ['a list', `[${text}]`],
    ['a text', '"x"'],
    ['null', 'null'],
    ['a number', '1'],
    ['an empty object', '{}'],
    ['two objects', text + text],
    ['half an object', text.slice(0, random.int(text.length - 1))],
    ['an object and a comma', `${text},`],
    ['an object after a byte order mark', `\ufeff${text}`],
    ['an object in UTF-16', Buffer.from(text, 'utf16le')],
    ['random bytes', Buffer.from(Array.from({ length: 200 }, () => random.int(256)))],
    ['an object of another kind', JSON.stringify({ ...object, kind: other.kind, apiVersion: apiVersionOf(other) })],
    ['another version', JSON.stringify({ ...object, apiVersion: `${kind.group}/v2` })],
    ['a List', JSON.stringify({ ...object, kind: `${kind.kind}List`, items: [] })],
    ['YAML as JSON', `apiVersion: ${object.apiVersion}\nkind: ${object.kind}\n`],
    ['a body beyond the limit', Buffer.alloc(random.chance(0.1) ? 3 * 1024 * 1024 + 1 : 10, 0x20)],
  ])
  return { what, method, path, body: Buffer.from(body as string), refused: true }
}
