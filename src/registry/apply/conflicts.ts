import { type FieldError, StatusError } from '#domain/errors.ts'
import type { Author } from '#domain/managed-fields/entry.ts'
import { pathsOf } from '#domain/managed-fields/field-set.ts'
import { byPath, pathText } from '#domain/managed-fields/field-step.ts'
import type { Clash } from '#domain/managed-fields/own.ts'
import { compareText } from '#domain/object.ts'

interface Owned {
  readonly owner: string
  readonly paths: readonly string[]
}

/** The refusal of an apply that would take fields from others, worded as kubectl expects it. */
export function applyConflict(clashes: readonly Clash[]): StatusError {
  const all = clashes
    .map(({ owner, fields }) => ({
      owner: ownerText(owner),
      paths: [...pathsOf(fields)].toSorted(byPath).map(pathText),
    }))
    .toSorted((a, b) => compareText(a.owner, b.owner))
  const causes = all.flatMap(({ owner, paths }) =>
    paths.map((field): FieldError => ({ reason: 'FieldManagerConflict', field, message: `conflict with ${owner}` })),
  )
  return new StatusError('Conflict', messageOf(all, causes), { causes })
}

function messageOf(all: readonly Owned[], [first, ...more]: readonly FieldError[]): string {
  if (first && more.length === 0) return `Apply failed with 1 conflict: ${first.message}: ${first.field}`
  const lines = all.flatMap(({ owner, paths }) => [`conflicts with ${owner}:`, ...paths.map((path) => `- ${path}`)])
  return `Apply failed with ${more.length + 1} conflicts: ${lines.join('\n')}`
}

function ownerText({ manager, subresource, operation, apiVersion }: Author): string {
  const where = subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`
  return `${JSON.stringify(manager)}${where}${operation === 'Update' ? ` using ${apiVersion}` : ''}`
}
