import { forbidden } from '#domain/errors.ts'
import type { User } from '#domain/kind.ts'
import { Application, type ApplicationSpec, type ApplicationStatus } from '#domain/kinds/application/application.ts'
import type { Resource } from '#domain/object.ts'
import type { Api, Exchange } from '#apiserver/exchange.ts'
import { sendJson } from '#apiserver/respond.ts'
import type { ResourceRoute } from '#apiserver/routes.ts'
import { keyOf } from './read.ts'

/** The group a member of a team carries, until roles say more. */
export const teamGroup = (team: string): string => `team:${team.toLowerCase()}`

/**
 * The credentials of an application in clear text: for its own team and for administrators, never in a cache, and every
 * asking is in the audit log. This is the one answer of the API that holds a secret.
 */
export async function credentials(api: Api, exchange: Exchange, route: ResourceRoute): Promise<string> {
  const stored = api.registry.get(Application, keyOf(route))
  const application = stored.resource as Resource<ApplicationSpec, ApplicationStatus>
  const { name, namespace } = application.metadata
  if (!mayRead(exchange.user, application.spec.team))
    throw forbidden(Application, name, `only team ${application.spec.team} may read its credentials`)
  const status: Partial<ApplicationStatus> = application.status ?? {}
  const clear = async (reference: string | undefined): Promise<string | undefined> =>
    reference === undefined ? undefined : api.registry.resolveSecret(reference)
  const answer = {
    apiVersion: application.apiVersion,
    kind: 'ApplicationCredentials',
    metadata: { name, namespace },
    clientId: status.clientId,
    clientSecret: await clear(application.spec.secret),
    rotatedClientSecret: await clear(status.rotatedClientSecret),
    rotatedExpiresAt: status.rotatedExpiresAt,
  }
  sendJson(exchange.response, 200, answer, ['cache-control', 'no-store'])
  return name
}

const mayRead = (user: User, team: string): boolean =>
  user.groups.includes('system:masters') || user.groups.includes(teamGroup(team))
