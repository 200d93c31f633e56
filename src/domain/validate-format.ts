import type { Schema } from './schema.ts'

/** The formats of strings; `int32` and `int64` are ranges of numbers. */
export type StringFormat = Exclude<Schema['format'], 'int32' | 'int64' | undefined>

export const FORMATS: Readonly<Record<StringFormat, (text: string) => boolean>> = {
  uri: isUri,
  'date-time': isTime,
  email: isEmail,
}

/** What a CRD says about a URI, because Kubernetes' own check of the format is laxer. */
export const URI_PATTERN = '^[A-Za-z][A-Za-z0-9+.-]*:.+'

// Each loop is over one class of characters and every next part starts with another, so matching is linear.
const PLAIN = "A-Za-z0-9._~!$&'()*+,;=%\\-"
const AUTHORITY = `//(?:[${PLAIN}:]*@)?(?:\\[[0-9A-Za-z.:%]+\\]|[${PLAIN}]*)(?::[0-9]*)?(?=[/?#]|$)`
// Brackets in paths and queries are not in RFC 3986 but in many real addresses (`?id[]=1`).
const REST = `[${PLAIN}:@/?[\\]]*`
const URI = new RegExp(`^[A-Za-z][A-Za-z0-9+.-]*:(?=.)(?:${AUTHORITY}|(?!//))${REST}(?:#${REST})?$`)
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/

/** An absolute RFC 3986 URI: a scheme and something after it; a host is not needed. */
function isUri(text: string): boolean {
  return URI.test(text) && !BROKEN_ESCAPE.test(text)
}

const EMAIL =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/

function isEmail(text: string): boolean {
  return text.length <= 320 && EMAIL.test(text)
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,30}))?(?:Z|([+-])(\d\d):(\d\d))$/

let lastTime: string | undefined

/** What is written in one second carries the same time, many times over. */
function isTime(text: string): boolean {
  if (text === lastTime) return true
  if (epochMillis(text) === undefined) return false
  lastTime = text
  return true
}

/** The moment an RFC 3339 text names, in milliseconds since 1970; undefined for any other text, also for second 60. */
export function epochMillis(text: string): number | undefined {
  const match = text.length > 64 ? null : TIME.exec(text)
  if (match === null) return undefined
  const at = (i: number): number => Number(match[i] ?? 0)
  const [year, month, day, hour, minute, second] = [at(1), at(2), at(3), at(4), at(5), at(6)]
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59 || at(9) > 23 || at(10) > 59) return undefined
  const offset = (match[8] === '-' ? -1 : 1) * (at(9) * 60 + at(10))
  const minutes = (daysSince1970(year, month, day) * 24 + hour) * 60 + minute - offset
  return minutes * 60_000 + second * 1000 + Math.floor(Number(`0.${match[7] ?? '0'}`) * 1000)
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

function daysIn(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Gregorian days, counted in years that begin in March so that the leap day is the last. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1
  const monthFromMarch = (month + 9) % 12
  const dayOfYear = Math.floor((153 * monthFromMarch + 2) / 5) + day - 1
  return y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468
}
