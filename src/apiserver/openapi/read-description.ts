import { type Description, extractDescription } from '#domain/openapi-document/extract.ts'
import { lintDescription } from '#domain/openapi-document/lint.ts'
import type { Problem } from '#domain/openapi-document/parts.ts'
import { DocumentError, readDocument } from '#lib/read-document.ts'

/** Plain data, so that it can cross threads. */
export type Reading =
  | {
      readonly ok: true
      readonly format: 'json' | 'yaml'
      readonly description: Description
      readonly findings: readonly string[]
    }
  | { readonly ok: false; readonly problems: readonly Problem[] }

export function readDescription(bytes: Uint8Array): Reading {
  try {
    const { format, value } = readDocument(bytes)
    const found = extractDescription(value)
    if (!('basepath' in found)) return { ok: false, problems: found }
    return { ok: true, format, description: found, findings: lintDescription(value) }
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    return { ok: false, problems: [{ field: '', message: `the document ${error.message}` }] }
  }
}
