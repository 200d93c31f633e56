import { findCondition } from '#domain/condition.ts'
import type { Admission, Admitted } from '#domain/kind.ts'
import type { ApplicationSpec, ApplicationStatus } from './application.ts'

/**
 * Moves the replaced secret aside, so that it stays valid for its grace period (platform §8.1). Both fields of the
 * rotation are the server's: what a client sends there is ignored. Secrets are references by now.
 */
export function admitApplication(
  request: Admission<ApplicationSpec, ApplicationStatus>,
): Admitted<ApplicationSpec, ApplicationStatus> {
  const { object, old } = request
  const rotated = { ...object, spec: { ...object.spec, ...rotation(request, old?.spec) } }
  const isNew = old?.spec.secret !== undefined && old.spec.secret !== object.spec.secret
  const running = findCondition(old?.status?.conditions, 'SecretRotation')?.reason === 'InProgress'
  if (!isNew || !running) return { object: rotated }
  return { object: rotated, forbidden: 'the last rotation of its secret is still in progress; try again shortly' }
}

type Rotation = Pick<ApplicationSpec, 'rotatedSecret' | 'rotatedAt'>

function rotation(
  request: Admission<ApplicationSpec, ApplicationStatus>,
  before: ApplicationSpec | undefined,
): Rotation {
  if (before === undefined) return { rotatedSecret: undefined, rotatedAt: undefined }
  const replaced = before.secret !== undefined && before.secret !== request.object.spec.secret
  if (!replaced) return { rotatedSecret: before.rotatedSecret, rotatedAt: before.rotatedAt }
  return { rotatedSecret: before.secret, rotatedAt: request.now }
}
