import { encodeJson } from '#lib/json.ts'
import type { Metadata, Resource } from '#domain/object.ts'
import type { Revision } from '#store/store.ts'

/**
 * Stored resources begin with `apiVersion, kind, metadata`, and metadata with what cannot hold a quote or a brace, then
 * the labels. So the first `"uid":"` and the first `"resourceVersion":"` are the object's own, the labels are where the
 * third brace opens, and some questions are answered without parsing.
 */
const UID = Buffer.from('"uid":"')
const REVISION = Buffer.from('"resourceVersion":"')
const LABELS = '"labels":'
const QUOTE = 0x22
const OPEN = 0x7b
const CLOSE = 0x7d

/** The bytes to store and send: the resource under the revision of the transaction that writes it. */
export function encodeResource(resource: Resource, revision: Revision | undefined): Uint8Array {
  const { apiVersion, kind, metadata, ...rest } = resource
  const ordered = orderMetadata(metadata, revision === undefined ? undefined : String(revision))
  return Buffer.from(encodeJson({ apiVersion, kind, metadata: ordered, ...rest }))
}

function orderMetadata(m: Metadata, resourceVersion: string | undefined): Metadata {
  return {
    name: m.name,
    namespace: m.namespace,
    generateName: m.generateName,
    uid: m.uid,
    resourceVersion,
    generation: m.generation,
    creationTimestamp: m.creationTimestamp,
    deletionTimestamp: m.deletionTimestamp,
    deletionGracePeriodSeconds: m.deletionGracePeriodSeconds,
    labels: m.labels,
    annotations: m.annotations,
    ownerReferences: m.ownerReferences,
    finalizers: m.finalizers,
    managedFields: m.managedFields,
  }
}

/** The labels as they stand in the bytes, without the braces: `"a":"1","b":"2"`; '' when there are none. */
export function labelsText(bytes: Uint8Array): string {
  const metadata = indexOf(bytes, OPEN, indexOf(bytes, OPEN, 0) + 1)
  const start = indexOf(bytes, OPEN, metadata + 1)
  if (metadata < 0 || start < 0) return ''
  const text = latin1(bytes, start - LABELS.length, indexOf(bytes, CLOSE, start))
  return text.startsWith(LABELS) ? text.slice(LABELS.length + 1) : ''
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

/**
 * Needles for `mayHold`. They begin with a letter that is rare in JSON: the search looks for the first byte before all
 * else, and a quote is everywhere. Every object that is being deleted has its grace period.
 */
export const BEING_DELETED = Buffer.from('GracePeriodSeconds":')
export const OWNED = Buffer.from('References":[')
export const WAITING_FOR_DEPENDENTS = Buffer.from('Deletion"')

/** Whether the bytes hold `needle` anywhere: no means no, yes means look closer. */
export function mayHold(bytes: Uint8Array, needle: Buffer): boolean {
  return search(bytes, needle) >= 0
}

function textAfter(bytes: Uint8Array, needle: Buffer): string {
  const start = search(bytes, needle)
  if (start < 0) return ''
  return latin1(bytes, start + needle.length, bytes.indexOf(QUOTE, start + needle.length))
}

// Buffer's search and decoding work on any bytes; wrapping each of 100 000 values to reach them would cost more than they do.
type Search = (this: Uint8Array, value: Buffer | number, from?: number) => number
type Decode = (this: Uint8Array, encoding: 'latin1', start: number, end: number) => string
const bufferIndexOf = Buffer.prototype.indexOf as unknown as Search
const bufferToString = Buffer.prototype.toString as unknown as Decode
const search = (bytes: Uint8Array, needle: Buffer): number => bufferIndexOf.call(bytes, needle)
const indexOf = (bytes: Uint8Array, byte: number, from: number): number => bufferIndexOf.call(bytes, byte, from)
const latin1 = (bytes: Uint8Array, start: number, end: number): string =>
  bufferToString.call(bytes, 'latin1', start, end)
