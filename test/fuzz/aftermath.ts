import { parse as parseYaml } from 'yaml'
import { equal } from '#domain/equal.ts'
import { apiVersionOf, type Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { normalize, validate, validateStatus } from '#domain/structural.ts'
import { encodeJson, parseJson } from '#lib/json.ts'
import { validateMetadata } from '#registry/metadata.ts'
import { secretsIn, secretTree } from '#registry/secret-tree.ts'
import { requestBytes, type World } from './case.ts'
import { inOrder } from './setup.ts'
import type { Wire } from './wire.ts'

/** What is wrong with what is stored after all was tried, and how many objects were looked at. */
export interface Aftermath {
  readonly objects: number
  readonly faults: readonly string[]
}

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1'

/** Looks at everything that is stored: it must be valid, in its stored form, and readable in every form. */
export async function inspect(wire: Wire, world: World): Promise<Aftermath> {
  const all = await inOrder(world.kinds, (kind) => inspectKind(wire, world, kind))
  return { objects: all.reduce((sum, one) => sum + one.objects, 0), faults: all.flatMap((one) => one.faults) }
}

async function inspectKind(wire: Wire, world: World, kind: Kind): Promise<Aftermath> {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  const path = `${root}/${kind.plural}`
  const read = async (query: string, accept: string): Promise<Buffer> => {
    const one = { what: 'a look', method: 'GET', path: `${path}?${query}`, headers: [['Accept', accept]] as const }
    const { reply } = await wire.send(requestBytes(one, world), 'GET')
    if (reply?.status !== 200) throw new Error(`${path} as ${accept}: ${reply?.status} ${reply?.body.toString()}`)
    return reply.body
  }
  const faults: string[] = []
  let objects = 0
  let next = ''
  do {
    const query = `limit=500&continue=${next}`
    const list: any = readJson(await read(query, 'application/json'))
    for (const item of list.items) faults.push(...faultsIn(kind, item))
    objects += list.items.length
    // Controllers may be at work: the other forms are those of the same moment.
    const same =
      next === '' ? `limit=500&resourceVersionMatch=Exact&resourceVersion=${list.metadata.resourceVersion}` : query
    next = list.metadata.continue ?? ''
    const yaml: any = parseYaml((await read(same, 'application/yaml')).toString(), {
      intAsBigInt: true,
      uniqueKeys: false,
    })
    if (!equalAsJson(yaml.items, list.items)) faults.push(`${path}: as YAML it says something else`)
    const table: any = readJson(await read(same, TABLE))
    if (table.rows.length !== list.items.length) faults.push(`${path}: its table has ${table.rows.length} rows`)
  } while (next !== '')
  return { objects, faults }
}

/** A list holds its objects two levels deeper than they were sent. */
const readJson = (text: string | Buffer): unknown => parseJson(text, { maxDepth: 150 }).value

/** YAML has no order of keys and integers of any size, so both go through the same reader. */
const equalAsJson = (a: unknown, b: unknown): boolean => equal(readJson(encodeJson(a)), b)

/** Everything wrong with a stored object. */
export function faultsIn(kind: Kind, item: Resource): readonly string[] {
  const { object, unknown } = normalize(kind, item)
  const problems = [...validateMetadata(kind, item.metadata), ...validate(kind, item), ...validateStatus(kind, item)]
  const tree = secretTree(kind)
  const secrets = new Set(tree === undefined ? [] : secretsIn(tree, item).map(({ path }) => path))
  const faults = problems.filter(({ field }) => !secrets.has(field)).map(({ field, message }) => `${field}: ${message}`)
  if (unknown.length > 0) faults.push(`unknown fields ${unknown.join(', ')}`)
  if (!equal(object, item)) faults.push('it is not in its stored form')
  if (item.apiVersion !== apiVersionOf(kind) || item.kind !== kind.kind) faults.push('it is of another kind')
  if (!/^[1-9]\d*$/.test(item.metadata.resourceVersion ?? '')) faults.push('it has no version')
  if (!item.metadata.uid) faults.push('it has no uid')
  if (Object.hasOwn(item, 'polluted')) faults.push('it is polluted')
  return faults.map((fault) => `${kind.kind} ${item.metadata.namespace ?? ''}/${item.metadata.name}: ${fault}`)
}
