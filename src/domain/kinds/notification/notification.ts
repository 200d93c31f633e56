import { defineKind, READY_COLUMNS, refs } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Spec = s.object(
  {
    purpose: s.string({ minLength: 1, maxLength: 128, doc: 'Why people are told; chooses the template.' }),
    sender: s.object(
      {
        type: s.oneOf(['User', 'System'], { default: 'System', doc: 'A person or the platform.' }),
        name: s.string({ default: 'System', doc: 'Who.' }),
      },
      {},
      { doc: 'On whose behalf.' },
    ),
    channels: refs('Where it is sent.'),
  },
  { properties: s.map(s.string(), { doc: 'Values for the template.' }) },
)

const State = s.object(
  {
    channel: s.string({ doc: 'The channel, `<namespace>/<name>`.' }),
    sent: s.boolean({ doc: 'Whether it is done; mail is done once it is in the log of the server.' }),
  },
  { sentAt: s.time({ doc: 'When.' }), message: s.string({ doc: 'What happened.' }) },
)
const Status = s.object({}, { states: s.list(State, { doc: 'What became of it, per channel.' }) })

export type NotificationState = Infer<typeof State>
export type NotificationSpec = Infer<typeof Spec>
export type NotificationStatus = Infer<typeof Status>

export const Notification = defineKind<NotificationSpec, NotificationStatus>({
  group: 'notification.cp.ei.vendor.de',
  kind: 'Notification',
  plural: 'notifications',
  doc: 'Something people are told once.',
  spec: s.but(Spec, { doc: 'What is told, on whose behalf and where.' }),
  status: s.but(Status, { doc: 'What became of it, per channel.' }),
  columns: [{ name: 'Purpose', type: 'string', path: '.spec.purpose' }, ...READY_COLUMNS],
  written: 'by-platform',
})
export type Notification = Resource<NotificationSpec, NotificationStatus>
