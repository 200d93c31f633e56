import type { Threshold } from '#domain/kinds/admin/zone.ts'
import type { ApplicationSpec } from '#domain/kinds/application/application.ts'
import type { Previous } from './application-rotation.ts'
import { notice } from './notice.ts'
import type { Child } from './plan.ts'
import { dueReminder } from './reminder.ts'
import type { View, World } from './world.ts'

interface Rotation {
  readonly previous: Previous | undefined
  readonly deadline: string | undefined
  readonly thresholds: readonly Threshold[]
}

/** The team hears of a rotation while the old secret is still valid, and is reminded before a secret gets too old. */
export function rotationNotices(self: View<ApplicationSpec>, world: World, rotation: Rotation): readonly Child[] {
  if (!self.spec.needsClient) return []
  const { previous, deadline, thresholds } = rotation
  const about = { application: self.name, team: self.spec.team, zone: self.spec.zone.name }
  const rotated =
    previous === undefined
      ? []
      : notice(world, self, {
          name: `${self.name}--rotated--${compact(self.spec.rotatedAt ?? '')}`,
          purpose: 'secret-rotation-completed',
          team: self.spec.team,
          properties: { ...about, previousSecretEnds: previous.expiresAt },
        })
  const due = deadline === undefined ? undefined : dueReminder(world, deadline, thresholds)
  if (deadline === undefined || due === undefined) return rotated
  const reminder = notice(world, self, {
    name: `${self.name}--expiring--${compact(due.at)}`,
    purpose: 'secret-rotation-expiring',
    team: self.spec.team,
    properties: { ...about, secretEnds: deadline },
  })
  return [...rotated, ...reminder]
}

/** A time as part of a name. */
export const compact = (time: string): string => time.replace(/[^0-9]/g, '')
