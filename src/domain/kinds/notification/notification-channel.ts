import { defineKind, READY_COLUMNS } from '#domain/kind.ts'
import { email } from '#domain/kinds/shared.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer, type Rule } from '#domain/schema.ts'

const exactlyOneChannel: Rule = {
  cel: '[has(self.email), has(self.msTeams), has(self.webhook)].filter(x, x).size() == 1',
  message: 'Exactly one of email, msTeams or webhook must be set',
  holds: (self) => ['email', 'msTeams', 'webhook'].filter((field) => self[field] !== undefined).length === 1,
}

const Spec = s.object(
  {},
  {
    email: s.object(
      { recipients: s.list(email('A recipient.'), { minItems: 1, maxItems: 60, doc: 'Who gets the mail.' }) },
      {},
      { doc: 'Mail. This version sends none: it is written to the log of the server.' },
    ),
    msTeams: s.object({ webhookUrl: s.uri({ doc: 'Address of the chat channel.' }) }, {}, { doc: 'A chat channel.' }),
    webhook: s.object(
      { url: s.uri({ doc: 'Where notifications are posted.' }) },
      { token: s.string({ secret: 'given', doc: 'Bearer token of the calls.' }) },
      { doc: 'An HTTP endpoint.' },
    ),
    ignore: s.list(s.string(), { doc: 'Purposes that are not sent here.' }),
  },
  { rules: [exactlyOneChannel] },
)
const Status = s.object({})

export type NotificationChannelSpec = Infer<typeof Spec>
export type NotificationChannelStatus = Infer<typeof Status>

export const NotificationChannel = defineKind<NotificationChannelSpec, NotificationChannelStatus>({
  group: 'notification.cp.ei.vendor.de',
  kind: 'NotificationChannel',
  plural: 'notificationchannels',
  doc: 'A way to reach the people of a team.',
  spec: s.but(Spec, { doc: 'How the people are reached, and what they do not want to hear.' }),
  status: s.but(Status, { doc: 'Whether the channel can be used.' }),
  columns: [
    { name: 'Mail to', type: 'string', path: '.spec.email.recipients', priority: 1 },
    { name: 'Webhook', type: 'string', path: '.spec.webhook.url', priority: 1 },
    ...READY_COLUMNS,
  ],
})
export type NotificationChannel = Resource<NotificationChannelSpec, NotificationChannelStatus>
