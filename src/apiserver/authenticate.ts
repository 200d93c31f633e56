import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { StatusError } from '#domain/errors.ts'
import type { User } from '#domain/kind.ts'

/** Who a bearer token belongs to, or undefined when this authenticator does not know it. */
export type Authenticator = (token: string) => User | undefined | Promise<User | undefined>

/** `system:masters` may do everything (Kubernetes' own convention). */
export const ADMIN: User = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }

/** Takes the same time for every guess of the right length, and the length of our tokens is no secret. */
export function adminToken(token: string): Authenticator {
  const expected = Buffer.from(token)
  return (given) => {
    const bytes = Buffer.from(given)
    return bytes.length === expected.length && timingSafeEqual(bytes, expected) ? ADMIN : undefined
  }
}

const unauthorized = (why: string): StatusError => new StatusError('Unauthorized', `Unauthorized: ${why}`)

/** @throws StatusError Unauthorized; Forbidden for impersonation, which this server does not offer */
export async function authenticate(
  headers: IncomingHttpHeaders,
  authenticators: readonly Authenticator[],
): Promise<User> {
  const token = bearerToken(headers.authorization)
  if (token === undefined) throw unauthorized('send the header "Authorization: Bearer <token>"')
  for (const authenticator of authenticators) {
    const answer = authenticator(token)
    const user = answer instanceof Promise ? await answer : answer
    if (user !== undefined) return refuseImpersonation(headers, user)
  }
  throw unauthorized('the token is not known here')
}

function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined || header.length > 16_384) return undefined
  const match = /^bearer +(\S+)$/i.exec(header)
  return match?.[1]
}

const IMPERSONATION = ['impersonate-user', 'impersonate-group', 'impersonate-uid']

function refuseImpersonation(headers: IncomingHttpHeaders, user: User): User {
  if (!IMPERSONATION.some((name) => headers[name] !== undefined)) return user
  throw new StatusError('Forbidden', `user "${user.name}" cannot impersonate: this server does not offer impersonation`)
}
