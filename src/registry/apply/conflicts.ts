import { type FieldError, StatusError } from '#domain/errors.ts'
import type { Author } from '#domain/managed-fields/entry.ts'
import { pathsOf } from '#domain/managed-fields/field-set.ts'
import { pathText } from '#domain/managed-fields/field-step.ts'
import type { Clash } from '#domain/managed-fields/own.ts'
import { compareText } from '#domain/object.ts'

/** Nobody reads more, and an object full of conflicts would make an answer many times its size. */
const MAX_SHOWN = 1000

interface Owned {
  readonly owner: string
  readonly paths: readonly string[]
}

/** The refusal of an apply that would take fields from others, worded as kubectl expects it. */
export function applyConflict(clashes: readonly Clash[]): StatusError {
  const all = clashes
    .map(({ owner, fields }) => ({ owner: ownerText(owner), paths: [...pathsOf(fields)].map(pathText).toSorted() }))
    .toSorted((a, b) => compareText(a.owner, b.owner))
  const causes = all.flatMap(({ owner, paths }) =>
    paths
      .slice(0, MAX_SHOWN)
      .map((field): FieldError => ({ reason: 'FieldManagerConflict', field, message: `conflict with ${owner}` })),
  )
  return new StatusError('Conflict', messageOf(all, causes[0]), { causes: causes.slice(0, MAX_SHOWN) })
}

function messageOf(all: readonly Owned[], first: FieldError | undefined): string {
  const count = all.reduce((sum, { paths }) => sum + paths.length, 0)
  if (first && count === 1) return `Apply failed with 1 conflict: ${first.message}: ${first.field}`
  const lines = all.flatMap(({ owner, paths }) => [
    `conflicts with ${owner}:`,
    ...paths.slice(0, MAX_SHOWN).map((path) => `- ${path}`),
  ])
  return `Apply failed with ${count} conflicts: ${lines.slice(0, MAX_SHOWN).join('\n')}`
}

function ownerText({ manager, subresource, operation, apiVersion }: Author): string {
  const where = subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`
  return `${JSON.stringify(manager)}${where}${operation === 'Update' ? ` using ${apiVersion}` : ''}`
}
