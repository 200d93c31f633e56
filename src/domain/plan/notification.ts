import { environmentOf, keyOf } from '#domain/environment.ts'
import type {
  NotificationSpec,
  NotificationState,
  NotificationStatus,
} from '#domain/kinds/notification/notification.ts'
import { NotificationChannel } from '#domain/kinds/notification/notification-channel.ts'
import { astray, ofEnvironment } from './of-environment.ts'
import { provisioned, waiting, type Planner } from './plan.ts'
import { messageFor, type Message } from './notification-message.ts'

/** What the actuator sends: one message per channel, complete but for secrets. */
export interface NotificationEffect {
  readonly messages: readonly Message[]
}

/** A notification goes to every channel that exists and does not ignore its purpose, once: what changes later is no news. */
export const planNotification: Planner<NotificationSpec, NotificationStatus> = (self, world) => {
  const { states } = self.status
  if (states !== undefined) return provisioned({ status: { states }, message: outcomeOf(states) })
  const environment = environmentOf(self.namespace, self.labels)
  const found = self.spec.channels.map((ref) => ({
    ref,
    view: ofEnvironment(world, environment, NotificationChannel, ref),
  }))
  const missing = found.find(({ view }) => view === undefined)
  if (missing !== undefined) {
    const { ref } = missing
    const message =
      astray(world, environment, { kind: NotificationChannel, ref, field: 'spec.channels' }) ??
      `NotificationChannel ${keyOf(ref)} does not exist; create it`
    return waiting('PreconditionNotMet', message, { status: {} })
  }
  const wanted = found.flatMap(({ view }) =>
    view === undefined || view.spec.ignore?.includes(self.spec.purpose) === true ? [] : [view],
  )
  const messages = wanted.map((channel) => messageFor(world, self, channel))
  return provisioned({
    status: {},
    effect: { messages } satisfies NotificationEffect,
  })
}

/** What a channel has to say about it, each word once; `Sent` where none has. */
function outcomeOf(states: readonly NotificationState[]): string {
  const said = new Set(states.map(({ message }) => message ?? 'Sent'))
  return said.size === 0 ? 'Sent' : [...said].join('; ')
}
