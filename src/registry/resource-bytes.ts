import { encodeJson } from '#lib/json.ts'
import type { Resource } from '#domain/object.ts'
import type { Revision } from '#store/store.ts'

/**
 * Stored resources begin with `apiVersion, kind, metadata`, and metadata with `name, namespace, uid, resourceVersion`,
 * none of which can hold a quote. So the first `"uid":"` and the first `"resourceVersion":"` are the object's own, and
 * some questions are answered without parsing.
 */
const UID = Buffer.from('"uid":"')
const REVISION = Buffer.from('"resourceVersion":"')
const QUOTE = 0x22

/** The bytes to store and send: the resource under the revision of the transaction that writes it. */
export function encodeResource(resource: Resource, revision: Revision | undefined): Uint8Array {
  const resourceVersion = revision === undefined ? undefined : String(revision)
  return Buffer.from(encodeJson({ ...resource, metadata: { ...resource.metadata, resourceVersion } }))
}

/** The same resource under another revision, as the last state of a deleted object is sent. */
export function withRevision(bytes: Uint8Array, revision: Revision): Uint8Array {
  const start = search(bytes, REVISION) + REVISION.length
  const end = bytes.indexOf(QUOTE, start)
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(String(revision)), bytes.subarray(end)])
}

export function revisionOf(bytes: Uint8Array): Revision {
  return Number(textAfter(bytes, REVISION))
}

export function uidOf(bytes: Uint8Array): string {
  return textAfter(bytes, UID)
}

/** Whether the bytes hold `needle` anywhere: no means no, yes means look closer. */
export function mayHold(bytes: Uint8Array, needle: Buffer): boolean {
  return search(bytes, needle) >= 0
}

function textAfter(bytes: Uint8Array, needle: Buffer): string {
  const start = search(bytes, needle)
  if (start < 0) return ''
  const end = bytes.indexOf(QUOTE, start + needle.length)
  return view(bytes).toString('latin1', start + needle.length, end)
}

const search = (bytes: Uint8Array, needle: Buffer): number => view(bytes).indexOf(needle)

const view = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
