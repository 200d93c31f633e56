import { verdict, type Verdict } from '#domain/condition.ts'
import type { ApplicationSpec, ApplicationStatus } from '#domain/kinds/application/application.ts'
import { Client } from '#domain/kinds/identity/client.ts'
import type { Named } from '#domain/object.ts'
import { addTime, parseDuration } from '#domain/time.ts'
import type { ZoneAccess } from './application-zones.ts'
import type { View, World } from './world.ts'

/** The previous secret and its end, while it is still valid. */
export interface Previous {
  readonly secret: string
  readonly expiresAt: string
}

/** Platform §8.1: the old secret stays valid for the grace period of the application's own zone. */
export function previousSecret(spec: ApplicationSpec, zone: ZoneAccess, world: World): Previous | undefined {
  if (spec.rotatedSecret === undefined || spec.rotatedAt === undefined || zone.gracePeriod === undefined)
    return undefined
  const expiresAt = addTime(spec.rotatedAt, parseDuration(zone.gracePeriod))
  return world.reached(expiresAt) ? undefined : { secret: spec.rotatedSecret, expiresAt }
}

/** When the secret should be rotated, where the zone asks for it. */
export function secretDeadline(self: View<ApplicationSpec>, zone: ZoneAccess): string | undefined {
  if (zone.expirationPeriod === undefined) return undefined
  return addTime(self.spec.rotatedAt ?? self.created, parseDuration(zone.expirationPeriod))
}

export function rotationStatus(
  spec: ApplicationSpec,
  previous: Previous | undefined,
  deadline: string | undefined,
): ApplicationStatus {
  return {
    ...(spec.secret === undefined ? {} : { clientSecret: spec.secret }),
    ...(previous === undefined ? {} : { rotatedClientSecret: previous.secret, rotatedExpiresAt: previous.expiresAt }),
    ...(deadline === undefined ? {} : { currentExpiresAt: deadline }),
  }
}

/** In progress until the application's own client carries the new secret; only then may the next rotation begin. */
export function rotationVerdict(spec: ApplicationSpec, client: Named, world: World): readonly Verdict[] {
  if (spec.rotatedAt === undefined || !spec.needsClient) return []
  const view = world.get(Client, client)
  const done = view !== undefined && view.spec.clientSecret === spec.secret && view.ready
  return done
    ? [verdict('SecretRotation', true, 'Success', `The secret of ${spec.rotatedAt} is in use`)]
    : [verdict('SecretRotation', false, 'InProgress', 'The new secret is being handed to the issuer')]
}
