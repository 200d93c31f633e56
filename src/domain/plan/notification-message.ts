import { environmentOf, keyOf } from '#domain/environment.ts'
import type { NotificationSpec } from '#domain/kinds/notification/notification.ts'
import type { NotificationChannelSpec } from '#domain/kinds/notification/notification-channel.ts'
import { NotificationTemplate } from '#domain/kinds/notification/notification-template.ts'
import type { View, World } from './world.ts'

/** One message to one channel. */
export interface Message {
  readonly channel: string
  readonly to:
    | { readonly type: 'email'; readonly recipients: readonly string[] }
    | { readonly type: 'webhook'; readonly url: string; readonly token?: string | undefined }
  readonly purpose: string
  readonly subject: string
  readonly body: string
  readonly properties: Readonly<Record<string, string>>
}

const FORMS = { email: 'mail', msTeams: 'chat', webhook: 'callback' } as const

/** In the words of the template `<purpose>--mail|chat|callback` of the environment, else in plain ones. */
export function messageFor(
  world: World,
  self: View<NotificationSpec>,
  channel: View<NotificationChannelSpec>,
): Message {
  const { purpose, properties = {} } = self.spec
  const environment = environmentOf(self.namespace, self.labels)
  const form = FORMS[formOf(channel.spec)]
  const template = world.get(NotificationTemplate, { namespace: environment, name: `${purpose}--${form}` })?.spec
  return {
    channel: keyOf(channel),
    to: addressee(channel.spec),
    purpose,
    subject: fill(template?.subject ?? purpose, properties),
    body: fill(template?.body ?? plainText(self.spec), properties),
    properties,
  }
}

const formOf = (spec: NotificationChannelSpec): keyof typeof FORMS =>
  spec.email !== undefined ? 'email' : spec.msTeams !== undefined ? 'msTeams' : 'webhook'

function addressee(spec: NotificationChannelSpec): Message['to'] {
  if (spec.email !== undefined) return { type: 'email', recipients: spec.email.recipients }
  if (spec.msTeams !== undefined) return { type: 'webhook', url: spec.msTeams.webhookUrl }
  return { type: 'webhook', url: spec.webhook?.url ?? '', token: spec.webhook?.token }
}

/** `{{name}}` becomes the property of that name; unknown ones stay, so that the mistake is seen. */
const fill = (text: string, properties: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{\s*([A-Za-z0-9_.-]{1,64})\s*\}\}/g, (whole, name: string) =>
    Object.hasOwn(properties, name) ? (properties[name] ?? whole) : whole,
  )

const plainText = ({ purpose, properties = {} }: NotificationSpec): string =>
  [purpose, ...Object.entries(properties).map(([key, value]) => `${key}: ${value}`)].join('\n')
