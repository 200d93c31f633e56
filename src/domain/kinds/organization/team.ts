import { defineKind, READY_COLUMNS, type Admission, type Admitted, ref } from '#domain/kind.ts'
import { email, NAME_PATTERN } from '#domain/kinds/shared.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Member = s.object({
  name: s.string({ minLength: 1, maxLength: 100, doc: 'Name of the person.' }),
  email: email('Address of the person; mail to the team goes here too.'),
})

const Spec = s.object(
  {
    group: s.string({ minLength: 1, maxLength: 63, pattern: NAME_PATTERN, doc: 'The group of the team.' }),
    name: s.string({ minLength: 1, maxLength: 63, pattern: NAME_PATTERN, doc: 'Name of the team within its group.' }),
    email: email('Address of the whole team.'),
  },
  {
    displayName: s.string({ maxLength: 100, doc: 'The name people read.' }),
    description: s.string({ maxLength: 256, doc: 'What the team does.' }),
    members: s.list(Member, { maxItems: 50, listType: 'map', listMapKeys: ['email'], doc: 'The people of the team.' }),
    category: s.oneOf(['Customer', 'Infrastructure'], { default: 'Customer', doc: 'What kind of team it is.' }),
    webhook: s.uri({ doc: 'Where notifications for the team are posted, besides its mail addresses.' }),
    secret: s.string({ secret: 'generated', doc: "Secret of the team's own client; made by the server when absent." }),
  },
)
const Status = s.object(
  {},
  {
    namespace: s.string({ doc: 'The namespace of everything the team writes.' }),
    identityClientRef: ref("The team's own client."),
    gatewayConsumerRef: ref('The consumer of that client.'),
    notificationChannelRef: ref('Where the team is notified.'),
  },
)

export type TeamMember = Infer<typeof Member>
export type TeamSpec = Infer<typeof Spec>
export type TeamStatus = Infer<typeof Status>

/** `metadata.name` is `<group>--<name>`, and no address is listed twice, whatever its case (platform §9.2). */
function admitTeam({ object }: Admission<TeamSpec, TeamStatus>): Admitted<TeamSpec, TeamStatus> {
  const wanted = `${object.spec.group}--${object.spec.name}`
  const { name } = object.metadata
  if (name !== wanted) {
    const message = `Invalid value: "${name}": a team is named <group>--<name>, here "${wanted}"`
    return { object, errors: [{ reason: 'FieldValueInvalid', field: 'metadata.name', message }] }
  }
  const addresses = (object.spec.members ?? []).map((m) => m.email.toLowerCase())
  const errors = addresses.flatMap((address, i) =>
    addresses.indexOf(address) === i
      ? []
      : [
          {
            reason: 'FieldValueDuplicate' as const,
            field: `spec.members[${i}].email`,
            message: `Duplicate value: "${address}"`,
          },
        ],
  )
  return { object, errors }
}

export const Team = defineKind<TeamSpec, TeamStatus>({
  group: 'organization.cp.ei.vendor.de',
  kind: 'Team',
  plural: 'teams',
  doc: 'The people who own applications, decide requests and are notified.',
  spec: s.but(Spec, { doc: 'Who the team is and how it is reached.' }),
  status: s.but(Status, {
    doc: 'What was made for the team: its namespace, its own client and its notification channel.',
  }),
  columns: [
    { name: 'Group', type: 'string', path: '.spec.group' },
    { name: 'Email', type: 'string', path: '.spec.email' },
    ...READY_COLUMNS,
  ],
  admit: admitTeam,
})
export type Team = Resource<TeamSpec, TeamStatus>
