import { setKey } from '#lib/json.ts'

/** RFC 7386. Nothing is changed in place; parts the patch does not touch are shared. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch
  const out: Record<string, unknown> = isMap(target) ? { ...target } : {}
  for (const key of Object.keys(patch)) {
    const value = patch[key]
    if (value === null) delete out[key]
    else setKey(out, key, mergePatch(Object.hasOwn(out, key) ? out[key] : undefined, value))
  }
  return out
}

type Values = Readonly<Record<string, unknown>>

const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A strategic merge patch of the few core kinds that take one. Their only lists are sets of plain texts and conditions,
 * so directives (`$patch`, `$setElementOrder/…`) are dropped, finalizers are merged and other lists replaced.
 */
export function strategicMergePatch(target: unknown, patch: unknown, field = ''): unknown {
  if (Array.isArray(patch)) return mergeLists(field, target, patch)
  if (!isMap(patch)) return patch
  const out: Record<string, unknown> = isMap(target) && patch['$patch'] !== 'replace' ? { ...target } : {}
  for (const key of Object.keys(patch)) {
    if (key.startsWith('$')) continue
    const value = patch[key]
    if (value === null) delete out[key]
    else setKey(out, key, strategicMergePatch(Object.hasOwn(out, key) ? out[key] : undefined, value, key))
  }
  deleteFromLists(out, patch)
  return out
}

/** Which field tells the items of a list apart; '' for lists of plain values that are united. */
const MERGE_KEYS: ReadonlyMap<string, string> = new Map([
  ['finalizers', ''],
  ['ownerReferences', 'uid'],
  ['conditions', 'type'],
])

function mergeLists(field: string, target: unknown, patch: readonly unknown[]): readonly unknown[] {
  const mergeKey = MERGE_KEYS.get(field)
  if (mergeKey === undefined || !Array.isArray(target)) return patch
  if (mergeKey === '') return [...new Set([...(target as unknown[]), ...patch])]
  const out: unknown[] = [...(target as unknown[])]
  for (const item of patch) {
    const at = out.findIndex((other) => isMap(other) && isMap(item) && other[mergeKey] === item[mergeKey])
    if (isMap(item) && item['$patch'] === 'delete') out.splice(at, at < 0 ? 0 : 1)
    else if (at < 0) out.push(item)
    else out[at] = strategicMergePatch(out[at], item)
  }
  return out
}

const DELETE_FROM = '$deleteFromPrimitiveList/'

function deleteFromLists(out: Record<string, unknown>, patch: Values): void {
  for (const key of Object.keys(patch).filter((name) => name.startsWith(DELETE_FROM))) {
    const field = key.slice(DELETE_FROM.length)
    const list = Object.hasOwn(out, field) ? out[field] : undefined
    const drop = patch[key]
    if (Array.isArray(list) && Array.isArray(drop))
      setKey(
        out,
        field,
        list.filter((item) => !drop.includes(item)),
      )
  }
}
