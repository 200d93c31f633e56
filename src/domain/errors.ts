/** The closed set of reasons a request can fail with; each is a `reason` of a Kubernetes Status (decisions: §2.2). */
const CODES = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  Gone: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const

export type Reason = keyof typeof CODES

export type CauseReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'FieldManagerConflict'
  | 'UnexpectedServerResponse'
  | 'ResourceVersionTooLarge'

/** One violated rule: where, and in words ready to print. `message` is without the field, as in `details.causes`. */
export interface FieldError {
  readonly reason: CauseReason
  readonly field: string
  readonly message: string
}

export interface StatusDetails {
  readonly name?: string | undefined
  readonly group?: string | undefined
  readonly kind?: string | undefined
  readonly uid?: string | undefined
  readonly causes?: readonly FieldError[] | undefined
  readonly retryAfterSeconds?: number | undefined
}

/** The only error that crosses the API boundary. Anything else is a bug and becomes a 500. */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  readonly reason: Reason
  readonly code: number
  readonly details: StatusDetails | undefined

  constructor(reason: Reason, message: string, details?: StatusDetails) {
    super(message)
    this.reason = reason
    this.code = CODES[reason]
    this.details = details
  }
}

export const isStatus = (error: unknown, reason: Reason): error is StatusError =>
  error instanceof StatusError && error.reason === reason

/** What names a resource in an error: `eventtypes.event.cp.ei.vendor.de "x"`. */
export interface Subject {
  readonly group: string
  readonly kind: string
  readonly plural: string
}

const qualified = (s: Subject): string => (s.group === '' ? s.plural : `${s.plural}.${s.group}`)
const detailsOf = (s: Subject, name: string): StatusDetails => ({ name, group: s.group, kind: s.plural })

export const notFound = (s: Subject, name: string): StatusError =>
  new StatusError('NotFound', `${qualified(s)} "${name}" not found`, detailsOf(s, name))

export const alreadyExists = (s: Subject, name: string): StatusError =>
  new StatusError('AlreadyExists', `${qualified(s)} "${name}" already exists`, detailsOf(s, name))

export const conflict = (s: Subject, name: string, why: string): StatusError =>
  new StatusError('Conflict', `Operation cannot be fulfilled on ${qualified(s)} "${name}": ${why}`, detailsOf(s, name))

export const forbidden = (s: Subject, name: string, why: string): StatusError =>
  new StatusError('Forbidden', `${qualified(s)} "${name}" is forbidden: ${why}`, detailsOf(s, name))

export const badRequest = (message: string): StatusError => new StatusError('BadRequest', message)

/** Enough to see what is wrong; more would make a large answer of a small request. */
const MOST_CAUSES = 100

export function invalid(s: Subject, name: string, all: readonly FieldError[]): StatusError {
  const causes = all.slice(0, MOST_CAUSES)
  const text = causes.map((c) => `${c.field}: ${c.message}`)
  if (all.length > causes.length) text.push(`and ${all.length - causes.length} more`)
  const list = text.length === 1 ? text[0] : `[${text.join(', ')}]`
  const kind = s.group === '' ? s.kind : `${s.kind}.${s.group}`
  return new StatusError('Invalid', `${kind} "${name}" is invalid: ${list}`, {
    name,
    group: s.group,
    kind: s.kind,
    causes,
  })
}
