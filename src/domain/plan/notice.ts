import { environmentOf } from '#domain/environment.ts'
import { Notification } from '#domain/kinds/notification/notification.ts'
import { NotificationChannel } from '#domain/kinds/notification/notification-channel.ts'
import { labelValue, nameValue } from '#domain/names.ts'
import { label, type Named, type ObjectRef } from '#domain/object.ts'
import { child, type Child } from './plan.ts'
import type { World } from './world.ts'

/** Where a team is reached; a Team makes these (platform §9.2). */
export const mailChannel = (environment: string, team: string): ObjectRef => ({
  name: `${team}--mail`,
  namespace: `${environment}--${team}`,
})
export const webhookChannel = (environment: string, team: string): ObjectRef => ({
  name: `${team}--webhook`,
  namespace: `${environment}--${team}`,
})

export interface Notice {
  readonly name: string
  readonly purpose: string
  readonly team: string | undefined
  readonly sender?: string | undefined
  readonly properties: Readonly<Record<string, string>>
}

/**
 * One thing a team is told, as a child of the object it is about: its name says which, so it is told once. Nothing
 * where the team has no channel: without a Team object there is nobody to tell.
 */
export function notice(
  world: World,
  about: Named & { readonly labels: Readonly<Record<string, string>> },
  n: Notice,
): readonly Child[] {
  if (n.team === undefined) return []
  const environment = environmentOf(about.namespace, about.labels)
  const candidates = [mailChannel(environment, n.team), webhookChannel(environment, n.team)]
  const channels = candidates.filter((ref) => world.get(NotificationChannel, ref) !== undefined)
  if (channels.length === 0) return []
  return [
    child(Notification, {
      namespace: about.namespace,
      name: nameValue(n.name),
      labels: {
        [label('purpose')]: labelValue(n.purpose),
        [label('sender-type')]: n.sender === undefined ? 'system' : 'user',
      },
      needs: 'exists',
      spec: {
        purpose: n.purpose,
        sender: n.sender === undefined ? { type: 'System', name: 'System' } : { type: 'User', name: n.sender },
        channels,
        properties: n.properties,
      },
    }),
  ]
}
