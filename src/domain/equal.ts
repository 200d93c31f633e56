/** Structural equality of JSON values: an undefined property equals an absent one, a bigint equals the same number. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a === 'bigint' || typeof b === 'bigint') return (typeof a === 'bigint' || typeof a === 'number') && a == b
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && equalLists(a, b)
  return equalObjects(a as Record<string, unknown>, b as Record<string, unknown>)
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => equal(item, b[i]))
}

/** `for in` makes no list of the keys; JSON values inherit none. */
function equalObjects(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  for (const key in a) {
    const mine = a[key]
    const theirs = Object.hasOwn(b, key) ? b[key] : undefined
    if (mine === undefined ? theirs !== undefined : !equal(mine, theirs)) return false
  }
  for (const key in b) if (b[key] !== undefined && !Object.hasOwn(a, key)) return false
  return true
}
