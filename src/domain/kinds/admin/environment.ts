import { defineKind, READY_COLUMNS } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'
import { NAME_PATTERN } from '#domain/kinds/shared.ts'

const Spec = s.object(
  {},
  {
    realmName: s.string({
      minLength: 1,
      maxLength: 63,
      pattern: NAME_PATTERN,
      doc: "Name of the identity realm in every zone of the environment; the environment's name when absent.",
    }),
  },
)
const Status = s.object({})

export type EnvironmentSpec = Infer<typeof Spec>
export type EnvironmentStatus = Infer<typeof Status>

export const Environment = defineKind<EnvironmentSpec, EnvironmentStatus>({
  group: 'admin.cp.ei.vendor.de',
  kind: 'Environment',
  plural: 'environments',
  shortNames: ['env'],
  doc: 'Settings of one environment. Optional: an environment exists as soon as something is in it.',
  spec: s.but(Spec, { doc: 'How the environment differs from one without settings.' }),
  status: s.but(Status, { doc: 'Whether the settings are in force.' }),
  columns: [{ name: 'Realm', type: 'string', path: '.spec.realmName', priority: 1 }, ...READY_COLUMNS],
})
export type Environment = Resource<EnvironmentSpec, EnvironmentStatus>
