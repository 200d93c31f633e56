import type { Kind } from '#domain/kind.ts'
import { compare } from '#domain/managed-fields/compare.ts'
import { configuration } from '#domain/managed-fields/configuration.ts'
import type { Author } from '#domain/managed-fields/entry.ts'
import { difference, isEmpty } from '#domain/managed-fields/field-set.ts'
import { leavesOf } from '#domain/managed-fields/fields-of.ts'
import type { Clash } from '#domain/managed-fields/own.ts'
import { shapesOf } from '#domain/managed-fields/shape.ts'
import type { Resource } from '#domain/object.ts'
import { parseJson } from '#lib/json.ts'
import { LAST_APPLIED } from '#registry/last-applied.ts'

/** Only kubectl's own server-side apply continues its client-side apply. */
const isKubectl = ({ manager, subresource }: Author): boolean => manager === 'kubectl' && subresource === undefined

const lastApplied = ({ metadata: { annotations } }: Resource): string | undefined =>
  annotations && Object.hasOwn(annotations, LAST_APPLIED) ? annotations[LAST_APPLIED] : undefined

/** The clashes, without the fields kubectl itself applied from the client and nobody has changed since. */
export function withoutOwnClientSide(
  kind: Kind,
  author: Author,
  live: Resource,
  clashes: readonly Clash[],
): readonly Clash[] {
  const text = clashes.length > 0 && isKubectl(author) ? lastApplied(live) : undefined
  const value = text === undefined ? undefined : parsed(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return clashes
  const shape = shapesOf(kind).main
  const config = configuration(shape, value as Readonly<Record<string, unknown>>).value
  const changed = compare(shape, live, config).taken ?? {}
  const unchanged = difference(leavesOf(shape, config) ?? {}, changed)
  return clashes.flatMap(({ owner, fields }) => {
    const left = difference(fields, unchanged)
    return isEmpty(left) ? [] : [{ owner, fields: left }]
  })
}

function parsed(text: string): unknown {
  try {
    return parseJson(text).value
  } catch {
    return undefined
  }
}
