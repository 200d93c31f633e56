import { StatusError, type StatusDetails, type Subject } from '#domain/errors.ts'
import { ExpiredToken } from '#registry/resource-version.ts'

/** The body of every failure (decisions: errors are Status objects, never anything else). */
export interface Status {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: { readonly continue?: string }
  readonly status: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly details?: StatusDetails
  readonly code?: number
}

/** Refusals quote what was sent, and who sends a megabyte need not get two back. */
const LONGEST_MESSAGE = 16_384
const LONGEST_QUOTE = 4096

const clip = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()}… (${text.length} characters)`

function bounded(details: StatusDetails): StatusDetails {
  const { name, causes } = details
  if ((name?.length ?? 0) <= LONGEST_QUOTE && causes === undefined) return details
  return {
    ...details,
    ...(name !== undefined && { name: clip(name, LONGEST_QUOTE) }),
    ...(causes !== undefined && {
      causes: causes.map((c) => ({
        ...c,
        field: clip(c.field, LONGEST_QUOTE),
        message: clip(c.message, LONGEST_QUOTE),
      })),
    }),
  }
}

export function statusOf(error: StatusError): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: error instanceof ExpiredToken ? { continue: error.continue } : {},
    status: 'Failure',
    message: clip(error.message, LONGEST_MESSAGE),
    reason: error.reason,
    ...(error.details === undefined ? {} : { details: bounded(error.details) }),
    code: error.code,
  }
}

/** What a delete answers when the object is gone. */
export const deletedStatus = (kind: Subject, name: string, uid: string | undefined): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: { name, group: kind.group, kind: kind.plural, uid },
})

/** A bug of ours: the caller gets an id to report, the log gets the rest. */
export const internalError = (id: string): StatusError =>
  new StatusError('InternalError', `an internal error occurred; the server's log has the details under ${id}`)
