import { defineKind, READY_COLUMNS, ref } from '#domain/kind.ts'
import { ThresholdSchema } from '#domain/kinds/admin/zone.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Spec = s.object(
  {
    approval: ref('The approval that expires.'),
    expiration: s.time({ doc: 'When it expires.' }),
  },
  { thresholds: s.list(ThresholdSchema, { maxItems: 10, doc: 'When people are reminded.' }) },
)

const Sent = s.object({
  threshold: s.string({ doc: 'The `before` of the threshold.' }),
  sentAt: s.time({ doc: 'For which moment.' }),
})
const Status = s.object({}, { sentReminders: s.list(Sent, { doc: 'The latest reminder of each threshold.' }) })

export type SentReminder = Infer<typeof Sent>
export type ApprovalExpirationSpec = Infer<typeof Spec>
export type ApprovalExpirationStatus = Infer<typeof Status>

export const ApprovalExpiration = defineKind<ApprovalExpirationSpec, ApprovalExpirationStatus>({
  group: 'approval.cp.ei.vendor.de',
  kind: 'ApprovalExpiration',
  plural: 'approvalexpirations',
  doc: 'The clock of an approval.',
  spec: s.but(Spec, { doc: 'Which approval expires, when, and when people are reminded.' }),
  status: s.but(Status, { doc: 'Which reminders were sent.' }),
  columns: [{ name: 'Expires', type: 'string', path: '.spec.expiration' }, ...READY_COLUMNS],
  written: 'by-platform',
})
export type ApprovalExpiration = Resource<ApprovalExpirationSpec, ApprovalExpirationStatus>
