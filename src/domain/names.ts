import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { compareText } from './object.ts'
import { remembering } from './remembering.ts'
import { trimEnd } from './trim.ts'

/** Spaces, underscores and slashes become hyphens, letters small, the ends clean; nothing else is touched (platform §1.3). */
export const normalize = remembering((value) =>
  trimEnd(
    value
      .replace(/[ _/\\]/g, '-')
      .toLowerCase()
      .replace(/^-+/, ''),
    '-',
  ),
)

const DIGITS = 'bcdfghjklmnpqrstvwxz2456789'

/** FNV-1a, 32 bit, over `(string)` and the value, in letters that never spell a word (event-domain §2.1). */
export function hash(value: string): string {
  let letters = ''
  for (const digit of String(fnv(`(string)${value}`))) letters += DIGITS.charAt(digit.charCodeAt(0) % DIGITS.length)
  return letters
}

function fnv(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // Most texts are ASCII and need not be encoded.
    if (code > 0x7f) return fnvOfBytes(utf8ToBytes(text))
    h = Math.imul(h ^ code, 0x01000193) >>> 0
  }
  return h
}

function fnvOfBytes(bytes: Uint8Array): number {
  let h = 0x811c9dc5
  for (const byte of bytes) h = Math.imul(h ^ byte, 0x01000193) >>> 0
  return h
}

/** The same over any JSON value: keys are sorted, and so are `scopes`, whose order means nothing (decisions §4.12). */
export const hashOf = (value: unknown): string => hash(canonical(value))

function canonical(value: unknown): string {
  if (Array.isArray(value)) return list(value.map(canonical))
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  let text = ''
  for (const key of Object.keys(value).toSorted(compareText)) {
    const inner = (value as Readonly<Record<string, unknown>>)[key]
    if (inner === undefined) continue
    const isSet = key === 'scopes' && Array.isArray(inner)
    text += `${text === '' ? '' : ','}${quoted(key)}:${isSet ? list(inner.map(canonical).toSorted(compareText)) : canonical(inner)}`
  }
  return `{${text}}`
}

const quoted = remembering((text) => JSON.stringify(text))

const list = (items: readonly string[]): string => `[${items.join(',')}]`

/** Keeps both ends of a text that is too long and puts its hash between them. */
export function shorten(value: string, max: number, separator: string): string {
  if (value.length <= max) return value
  const room = max - 32 - 2 * separator.length
  return [value.slice(0, 16), hash(value).slice(0, room), value.slice(-16)].join(separator)
}

const LABEL_VALUE = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/

/**
 * A text as the value of a label, always one the server takes: where characters had to go, a hash tells the text from
 * others that come to the same.
 */
export const labelValue = remembering((value) => {
  const text = normalize(value)
  if (text === '' || LABEL_VALUE.test(text)) return shorten(text, 63, '.')
  const words = text.split(/[^a-z0-9]+/).filter((word) => word !== '')
  return shorten([...words, hash(text)].join('-'), 63, '.')
})

/** A text as a name, as far as it goes: see `isResourceName`. */
export const nameValue = (value: string): string => shorten(normalize(value), 253, '')

const NAME_PART = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/

/** Whether the server takes it as a name. */
export const isResourceName = (name: string): boolean =>
  name.length <= 253 && name.split('.').every((part) => NAME_PART.test(part))

/** Whether the server takes it as a namespace. */
export const isNamespaceName = (name: string): boolean => name.length <= 63 && NAME_PART.test(name)

/** `a.b` and `a-b` would share a name: types with a hyphen carry a part of their digest (decisions §4.12). */
const suffix = (eventType: string): string =>
  eventType.includes('-') ? `--${bytesToHex(sha256(utf8ToBytes(eventType))).slice(0, 8)}` : ''

/** An event type as part of a name: dots become hyphens. */
export const eventTypeSlug = (eventType: string): string =>
  eventType.toLowerCase().replaceAll('.', '-') + suffix(eventType)

export const sseRouteName = (eventType: string): string => nameValue(`sse--${eventTypeSlug(eventType)}`)

/** Dots are kept (event-domain §2.2). */
export const publisherName = (eventType: string): string => nameValue(eventType + suffix(eventType))

/** One Client and one Consumer per zone an application calls (platform §8.1). */
export const zoneClientName = (clientId: string, zone: string): string => nameValue(`${clientId}--${zone}`)

export const approvalName = (targetKind: string, targetName: string): string =>
  nameValue(`${targetKind.toLowerCase()}--${targetName}`)

/** A route an API must not claim: the event domain's own (decisions §4.12). */
export const isReservedRoute = (name: string): boolean =>
  name === 'publish' || /^(callback|voyager|sse|gateway)--/.test(name)

/** `gateway`, and everything that normalises to it, is the consumer of cross-zone hops (decisions §8.11). */
export const isReservedClientId = (clientId: string): boolean => normalize(clientId) === 'gateway'
