import { badRequest, invalid, StatusError, type FieldError } from '#domain/errors.ts'
import type { Revision } from '#store/store.ts'
import type { ListOptions } from './registry.ts'

/** A resourceVersion as sent by a client; undefined when there is none. Longer than any revision counts as the largest. */
export function parseResourceVersion(text: string | undefined): Revision | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^\d+$/.test(text)) {
    throw badRequest(
      `resourceVersion: Invalid value: ${JSON.stringify(text)}: must be a decimal number, as read from an object or a list`,
    )
  }
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}

/** A version nobody has written yet: the client talks to a server that knows less than another one it asked before. */
export function refuseFuture(asked: Revision, newest: Revision): void {
  if (asked <= newest) return
  throw new StatusError('Timeout', `Timeout: Too large resource version: ${asked}, current: ${newest}`, {
    retryAfterSeconds: 1,
    // Client libraries know this failure by its cause and list again without a version.
    causes: [{ reason: 'ResourceVersionTooLarge', field: '', message: 'Too large resource version' }],
  })
}

export const expired = (message: string): StatusError => new StatusError('Expired', message)

/** The pages of a list outlived the history. `continue` leads on all the same, through the newest state. */
export class ExpiredToken extends StatusError {
  readonly continue: string

  constructor(message: string, token: string) {
    super('Expired', message)
    this.continue = token
  }
}

const LIST_OPTIONS = { group: 'meta.k8s.io', kind: 'ListOptions', plural: 'listoptions' }

/** The combinations Kubernetes refuses, because they ask for two different states at once. */
export function checkVersionOptions(options: ListOptions): void {
  const { resourceVersionMatch: match, resourceVersion: version } = options
  const errors: FieldError[] = []
  const forbid = (message: string): void => {
    errors.push({ reason: 'FieldValueForbidden', field: 'resourceVersionMatch', message: `Forbidden: ${message}` })
  }
  if (match !== undefined && options.continue) forbid('resourceVersionMatch is forbidden when continue is provided')
  if (match !== undefined && !version) forbid('resourceVersionMatch is forbidden unless resourceVersion is provided')
  if (match === 'Exact' && version === '0') forbid('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
  if (errors.length > 0) throw invalid(LIST_OPTIONS, '', errors)
  if (options.continue && version && version !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
}
