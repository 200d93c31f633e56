import { defineKind, READY_COLUMNS } from '#domain/kind.ts'
import { admitName } from '#domain/kinds/admin/admit-name.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Spec = s.object(
  {},
  {
    displayName: s.string({ maxLength: 100, doc: 'The name people read.' }),
    description: s.string({ maxLength: 256, doc: 'What the group is about.' }),
  },
)
const Status = s.object({})

export type GroupSpec = Infer<typeof Spec>
export type GroupStatus = Infer<typeof Status>

export const Group = defineKind<GroupSpec, GroupStatus>({
  group: 'organization.cp.ei.vendor.de',
  kind: 'Group',
  plural: 'groups',
  doc: 'Several teams that belong together.',
  spec: s.but(Spec, { doc: 'How the group is called and what it is about.' }),
  status: s.but(Status, { doc: 'Whether the group can be used.' }),
  columns: [{ name: 'Display Name', type: 'string', path: '.spec.displayName', priority: 1 }, ...READY_COLUMNS],
  admit: admitName,
})
export type Group = Resource<GroupSpec, GroupStatus>
