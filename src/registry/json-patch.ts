import { equal } from '#domain/equal.ts'
import { setKey } from '#lib/json.ts'
import { parsePointer } from './json-pointer.ts'

/** The patch cannot be applied; the message says which operation and why, never what values were compared. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
  /** Whether the patch itself is malformed, whatever it is applied to. */
  readonly malformed: boolean

  constructor(message: string, malformed = false) {
    super(message)
    this.malformed = malformed
  }
}

export const MAX_OPERATIONS = 10_000

type Json = unknown
type Values = Record<string, Json>

interface Operation {
  readonly op: string
  readonly path: readonly string[]
  readonly from: readonly string[] | undefined
  readonly value: Json
}

/** RFC 6902, all or nothing; the document and the patch stay as they are. @throws PatchError */
export function applyJsonPatch(document: Json, patch: Json): Json {
  if (!Array.isArray(patch)) throw new PatchError('a JSON patch is a list of operations', true)
  if (patch.length > MAX_OPERATIONS) {
    throw new PatchError(`the patch has ${patch.length} operations; at most ${MAX_OPERATIONS} are allowed`, true)
  }
  const operations = patch.map((operation, i) => parseOperation(operation, i))
  return operations.reduce((current, operation, i) => {
    try {
      return applyOne(current, operation)
    } catch (error) {
      if (error instanceof PatchError) throw new PatchError(`operation ${i} (${operation.op}): ${error.message}`)
      throw error
    }
  }, document)
}

function parseOperation(operation: Json, index: number): Operation {
  if (!isMap(operation)) throw new PatchError(`operation ${index} must be an object`, true)
  const { op, path, from } = own(operation)
  if (typeof op !== 'string' || !OPERATIONS.has(op)) {
    throw new PatchError(`operation ${index}: op must be one of ${[...OPERATIONS].join(', ')}`)
  }
  const needsFrom = op === 'move' || op === 'copy'
  const needsValue = op === 'add' || op === 'replace' || op === 'test'
  if (needsValue && (!Object.hasOwn(operation, 'value') || operation['value'] === undefined)) {
    throw new PatchError(`operation ${index} (${op}): value is missing`)
  }
  return {
    op,
    path: pointer(path, index, 'path'),
    from: needsFrom ? pointer(from, index, 'from') : undefined,
    value: operation['value'],
  }
}

const OPERATIONS: ReadonlySet<string> = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test'])

const own = (map: Values): { op?: Json; path?: Json; from?: Json } => ({
  op: Object.hasOwn(map, 'op') ? map['op'] : undefined,
  path: Object.hasOwn(map, 'path') ? map['path'] : undefined,
  from: Object.hasOwn(map, 'from') ? map['from'] : undefined,
})

function pointer(value: Json, index: number, field: string): readonly string[] {
  const steps = typeof value === 'string' ? parsePointer(value) : undefined
  if (!steps) throw new PatchError(`operation ${index}: ${field} must be a JSON pointer such as /spec/type`)
  return steps
}

function applyOne(document: Json, { op, path, from, value }: Operation): Json {
  switch (op) {
    case 'add':
      return put(document, path, value, 'insert')
    case 'replace':
      return put(document, path, value, 'replace')
    case 'remove':
      return remove(document, path)
    case 'copy':
      return put(document, path, read(document, from!), 'insert')
    case 'move':
      return move(document, from!, path)
    default:
      if (!equal(read(document, path), value)) throw new PatchError(`the value at ${show(path)} is another one`)
      return document
  }
}

function move(document: Json, from: readonly string[], path: readonly string[]): Json {
  const inside = from.length < path.length && from.every((step, i) => step === path[i])
  if (inside) throw new PatchError(`${show(from)} cannot be moved into itself`)
  const value = read(document, from)
  return from.length === path.length && from.every((step, i) => step === path[i])
    ? document
    : put(remove(document, from), path, value, 'insert')
}

const isMap = (value: Json): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)
const show = (path: readonly string[]): string => `/${path.join('/')}`.slice(0, 200)
const missing = (path: readonly string[]): PatchError => new PatchError(`there is nothing at ${show(path)}`)

function read(document: Json, path: readonly string[]): Json {
  let value = document
  for (const step of path) {
    if (Array.isArray(value)) value = value[indexIn(value, step, value.length - 1)]
    else if (isMap(value) && Object.hasOwn(value, step)) value = value[step]
    else throw missing(path)
  }
  return value
}

/** A list index as RFC 6901 writes it: no sign, no leading zero, not beyond `last`. */
function indexIn(list: readonly Json[], step: string, last: number): number {
  const index = /^(0|[1-9]\d{0,9})$/.test(step) ? Number(step) : -1
  if (index < 0 || index > last)
    throw new PatchError(`${JSON.stringify(step.slice(0, 50))} is not an index into a list of ${list.length}`)
  return index
}

/** The document with the container of the last step replaced by what `change` makes of it. */
function edit(
  document: Json,
  path: readonly string[],
  change: (container: Json, step: string) => Json,
  depth = 0,
): Json {
  const step = path[depth]!
  if (depth === path.length - 1) return change(document, step)
  if (Array.isArray(document)) {
    const index = indexIn(document, step, document.length - 1)
    return document.with(index, edit(document[index], path, change, depth + 1))
  }
  if (!isMap(document) || !Object.hasOwn(document, step)) throw missing(path.slice(0, depth + 1))
  const out = { ...document }
  setKey(out, step, edit(document[step], path, change, depth + 1))
  return out
}

function put(document: Json, path: readonly string[], value: Json, mode: 'insert' | 'replace'): Json {
  if (path.length === 0) return value
  return edit(document, path, (container, step) => {
    if (Array.isArray(container)) return putItem(container, step, value, mode)
    if (!isMap(container) || (mode === 'replace' && !Object.hasOwn(container, step))) throw missing(path)
    const out = { ...container }
    setKey(out, step, value)
    return out
  })
}

function putItem(list: readonly Json[], step: string, value: Json, mode: 'insert' | 'replace'): Json {
  if (mode === 'replace') return list.with(indexIn(list, step, list.length - 1), value)
  return list.toSpliced(step === '-' ? list.length : indexIn(list, step, list.length), 0, value)
}

function remove(document: Json, path: readonly string[]): Json {
  if (path.length === 0) throw new PatchError('the whole object cannot be removed')
  return edit(document, path, (container, step) => {
    if (Array.isArray(container)) return container.toSpliced(indexIn(container, step, container.length - 1), 1)
    if (!isMap(container) || !Object.hasOwn(container, step)) throw missing(path)
    const out = { ...container }
    delete out[step]
    return out
  })
}
