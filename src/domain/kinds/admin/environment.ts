import { defineKind, READY_COLUMNS, type Admission, type Admitted } from '#domain/kind.ts'
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
      doc: "Name of the identity realm in every zone of the environment; the environment's name when absent. Once set it stays.",
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
  admit: admitEnvironment,
})
export type Environment = Resource<EnvironmentSpec, EnvironmentStatus>

/** Issuers, and with them every token and every trust between zones, carry the realm name: once set it stays (platform §7.1). */
function admitEnvironment({
  object,
  old,
}: Admission<EnvironmentSpec, EnvironmentStatus>): Admitted<EnvironmentSpec, EnvironmentStatus> {
  const before = old?.spec.realmName
  const { realmName } = object.spec
  if (before === undefined || realmName === before) return { object }
  const told =
    realmName === undefined
      ? `Required value: cannot be removed once set`
      : `Invalid value: ${JSON.stringify(realmName)}: cannot be changed once set`
  const message = `${told}: keep ${JSON.stringify(before)}, or delete the Environment and create it anew`
  const reason = realmName === undefined ? 'FieldValueRequired' : 'FieldValueInvalid'
  return { object, errors: [{ reason, field: 'spec.realmName', message }] }
}
