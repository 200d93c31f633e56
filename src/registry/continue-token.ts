import { badRequest } from '#domain/errors.ts'
import type { Revision } from '#store/store.ts'

/** Where the next page of a list begins, and the revision all its pages show. */
export interface Position {
  /** 0: whatever is newest, for a list that goes on although its own revision is no longer retained. */
  readonly revision: Revision
  /** Without the prefix of the list, so that a token can never lead out of it. */
  readonly after: string
}

export const writeToken = ({ revision, after }: Position): string =>
  Buffer.from(JSON.stringify([1, revision, after])).toString('base64url')

export function readToken(token: string): Position {
  const position = decode(token)
  if (!position)
    throw badRequest(
      'continue key is not valid: send it back exactly as the previous page gave it, or start a new list',
    )
  return position
}

function decode(token: string): Position | undefined {
  if (token.length > 2048 || !/^[A-Za-z0-9_-]+$/.test(token)) return undefined
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
  if (!Array.isArray(value) || value.length !== 3 || value[0] !== 1) return undefined
  const [, revision, after] = value as [1, unknown, unknown]
  if (!Number.isSafeInteger(revision) || (revision as number) < 0 || typeof after !== 'string') return undefined
  return { revision: revision as number, after }
}
