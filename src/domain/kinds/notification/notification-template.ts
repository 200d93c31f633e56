import { defineKind, READY_COLUMNS } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Spec = s.object(
  {
    purpose: s.string({ minLength: 1, maxLength: 128, doc: 'What it is used for.' }),
    body: s.string({ maxLength: 65536, doc: 'The text; `{{name}}` is replaced by that property.' }),
  },
  {
    channelType: s.oneOf(['Email', 'MsTeams', 'Webhook'], { default: 'Email', doc: 'For which kind of channel.' }),
    subject: s.string({ maxLength: 256, doc: 'The subject of a mail.' }),
  },
)
const Status = s.object({})

export type NotificationTemplateSpec = Infer<typeof Spec>
export type NotificationTemplateStatus = Infer<typeof Status>

export const NotificationTemplate = defineKind<NotificationTemplateSpec, NotificationTemplateStatus>({
  group: 'notification.cp.ei.vendor.de',
  kind: 'NotificationTemplate',
  plural: 'notificationtemplates',
  doc: 'The words of a notification.',
  spec: s.but(Spec, { doc: 'The words, and when they are used.' }),
  status: s.but(Status, { doc: 'Whether the template can be used.' }),
  columns: [
    { name: 'Purpose', type: 'string', path: '.spec.purpose' },
    { name: 'Channel', type: 'string', path: '.spec.channelType' },
    ...READY_COLUMNS,
  ],
})
export type NotificationTemplate = Resource<NotificationTemplateSpec, NotificationTemplateStatus>
