import { badRequest, StatusError } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { applyJsonPatch, PatchError } from './json-patch.ts'
import { mergePatch, strategicMergePatch } from './merge-patch.ts'
import { isNamespaceKind } from './namespace-state.ts'
import type { Body, PatchBody } from './registry.ts'

/** How a patch changes whatever object is there. @throws StatusError BadRequest, UnsupportedMediaType */
export function proposePatch(kind: Kind, patch: PatchBody): (current: Resource) => Body {
  const change = changeOf(kind, patch)
  return (current) => ({ value: change(current, patch.value), duplicates: patch.duplicates })
}

const ACCEPTED = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml'

function changeOf(kind: Kind, patch: PatchBody): (current: Resource, patch: unknown) => unknown {
  if (patch.type === 'json') return patched
  if (patch.type === 'strategic' && !isNamespaceKind(kind)) throw unsupported(ACCEPTED)
  checkObject(patch)
  return patch.type === 'merge' ? mergePatch : (current, value) => strategicMergePatch(current, value)
}

const unsupported = (accepted: string): StatusError =>
  new StatusError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  )

function checkObject({ value }: PatchBody): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return
  throw badRequest('error decoding patch: a JSON object is expected')
}

function patched(current: Resource, patch: unknown): unknown {
  try {
    return applyJsonPatch(current, patch)
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    if (error.malformed) throw badRequest(`error decoding patch: ${error.message}`)
    throw new StatusError('Invalid', `the server rejected our request due to an error in our request: ${error.message}`)
  }
}
