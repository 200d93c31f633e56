import { equal } from '#domain/equal.ts'
import { JsonDocument, PatchError } from './json-document.ts'
import { parsePointer } from './json-pointer.ts'

export { PatchError }

export const MAX_OPERATIONS = 10_000

interface Operation {
  readonly op: string
  readonly path: readonly string[]
  readonly from: readonly string[] | undefined
  readonly value: unknown
}

/** RFC 6902, all or nothing; the document and the patch stay as they are. @throws PatchError */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw new PatchError('a JSON patch is a list of operations', true)
  if (patch.length > MAX_OPERATIONS) {
    throw new PatchError(`the patch has ${patch.length} operations; at most ${MAX_OPERATIONS} are allowed`, true)
  }
  const operations = patch.map((operation, i) => parseOperation(operation, i))
  const draft = new JsonDocument(document)
  for (const [i, operation] of operations.entries()) {
    try {
      apply(draft, operation)
    } catch (error) {
      if (error instanceof PatchError) throw new PatchError(`operation ${i} (${operation.op}): ${error.message}`)
      throw error
    }
  }
  return draft.finish()
}

const OPERATIONS: ReadonlySet<string> = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test'])

function parseOperation(operation: unknown, index: number): Operation {
  if (typeof operation !== 'object' || operation === null || Array.isArray(operation)) {
    throw new PatchError(`operation ${index} must be an object`, true)
  }
  const field = (name: string): unknown =>
    Object.hasOwn(operation, name) ? (operation as Record<string, unknown>)[name] : undefined
  const op = field('op')
  if (typeof op !== 'string' || !OPERATIONS.has(op)) {
    throw new PatchError(`operation ${index}: op must be one of ${[...OPERATIONS].join(', ')}`)
  }
  const value = field('value')
  if (value === undefined && (op === 'add' || op === 'replace' || op === 'test')) {
    throw new PatchError(`operation ${index} (${op}): value is missing`)
  }
  const from = op === 'move' || op === 'copy' ? pointer(field('from'), index, 'from') : undefined
  return { op, path: pointer(field('path'), index, 'path'), from, value }
}

function pointer(value: unknown, index: number, field: string): readonly string[] {
  const steps = typeof value === 'string' ? parsePointer(value) : undefined
  if (!steps) throw new PatchError(`operation ${index}: ${field} must be a JSON pointer such as /spec/type`)
  return steps
}

function apply(draft: JsonDocument, { op, path, from, value }: Operation): void {
  switch (op) {
    case 'add':
      return draft.insert(path, value)
    case 'replace':
      return draft.replace(path, value)
    case 'remove':
      return draft.remove(path)
    case 'copy':
      return draft.insert(path, draft.copy(from!))
    case 'move':
      return move(draft, from!, path)
    default:
      if (!equal(draft.read(path), value)) throw new PatchError('the value is another one')
  }
}

function move(draft: JsonDocument, from: readonly string[], path: readonly string[]): void {
  const value = draft.read(from)
  if (from.every((step, i) => step === path[i])) {
    if (from.length === path.length) return
    throw new PatchError('a value cannot be moved into itself')
  }
  draft.remove(from)
  draft.insert(path, value)
}
