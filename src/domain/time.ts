/** Times without a clock: RFC 3339 text to milliseconds since 1970 and back, by the calendar alone. */
const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

/** @throws RangeError on text that schema validation would not have let through */
export function parseTime(text: string): number {
  const match = RFC3339.exec(text)
  if (match === null) throw new RangeError(`not a time: "${text}" (expected RFC 3339)`)
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const millis = Number(`${match[7] ?? ''}000`.slice(0, 3))
  const offset = (match[8] === '-' ? -1 : 1) * (Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0))
  return daysBefore(year, month, day) * 86_400_000 + ((hour * 60 + minute - offset) * 60 + second) * 1000 + millis
}

/** Whole seconds, as Kubernetes prints them. */
export function formatTime(millis: number): string {
  const seconds = Math.floor(millis / 1000)
  const days = Math.floor(seconds / 86_400)
  const rest = seconds - days * 86_400
  const [year, month, day] = dateOf(days)
  const two = (n: number): string => String(n).padStart(2, '0')
  const clock = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60, rest % 60].map(two).join(':')
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${clock}Z`
}

export const addTime = (time: string, millis: number): string => formatTime(parseTime(time) + millis)

/** Days from 1970-01-01 to a date of the Gregorian calendar. Years begin in March, so that leap days come last. */
function daysBefore(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

function dateOf(days: number): readonly [number, number, number] {
  const z = days + 719_468
  const era = Math.floor(z / 146_097)
  const dayOfEra = z - era * 146_097
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365)
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const m = Math.floor((5 * dayOfYear + 2) / 153)
  const month = m < 10 ? m + 3 : m - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return [year, month, dayOfYear - Math.floor((153 * m + 2) / 5) + 1]
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `720h`, `1h30m`, `7d` in milliseconds. */
export function parseDuration(text: string): number {
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d{1,9})(ms|s|m|h|d)/g))
    total += Number(amount) * (UNITS[unit ?? ''] ?? 0)
  return total
}

export const HOUR = 3_600_000
export const DAY = 24 * HOUR
