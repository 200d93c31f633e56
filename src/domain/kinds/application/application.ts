import { defineKind, READY_COLUMNS, ref, refs } from '#domain/kind.ts'
import { email, ExternalIds, IpRestrictions, TEAM_PATTERN } from '#domain/kinds/shared.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'
import { admitApplication } from './admit-application.ts'

const Spec = s.object(
  {
    team: s.string({ minLength: 1, maxLength: 128, pattern: TEAM_PATTERN, doc: 'The owning team, `<group>--<team>`.' }),
    teamEmail: email('Address of the owning team.'),
    zone: ref('The zone the application runs in.'),
  },
  {
    secret: s.string({
      secret: 'generated',
      doc: 'Secret of its client; made by the server when absent, replaced by a new one when set to `rotate`. Read it with `POST …/applications/<name>/credentials`.',
    }),
    rotatedSecret: s.string({
      secret: 'given',
      doc: 'The previous secret. Set by the server when the secret changes.',
    }),
    rotatedAt: s.time({ doc: 'When the secret last changed. Set by the server.' }),
    failoverZones: refs('Further zones the application calls.'),
    needsClient: s.boolean({ default: true, doc: 'Whether it gets an OAuth2 client.' }),
    needsConsumer: s.boolean({ default: true, doc: 'Whether gateways know it as a caller.' }),
    security: s.object({}, { ipRestrictions: IpRestrictions }, { doc: 'What is asked of its calls.' }),
    externalIds: ExternalIds,
  },
)
const Status = s.object(
  {},
  {
    clientId: s.string({ doc: 'The id it authenticates with: `<team>--<name>`.' }),
    clientSecret: s.string({ secret: 'given', doc: 'Reference to its secret.' }),
    rotatedClientSecret: s.string({
      secret: 'given',
      doc: 'Reference to the previous secret while that is still valid.',
    }),
    rotatedExpiresAt: s.time({ doc: 'When the previous secret ends.' }),
    currentExpiresAt: s.time({ doc: 'When the secret should be rotated.' }),
    clients: refs('Its clients, one per zone it calls.'),
    consumers: refs('Its consumers, one per zone it calls.'),
  },
)

export type ApplicationSpec = Infer<typeof Spec>
export type ApplicationStatus = Infer<typeof Status>

export const Application = defineKind<ApplicationSpec, ApplicationStatus>({
  group: 'application.cp.ei.vendor.de',
  kind: 'Application',
  plural: 'applications',
  shortNames: ['app'],
  doc: 'Something that provides or consumes APIs and events.',
  spec: s.but(Spec, { doc: 'Who owns the application, in which zone it runs and what it needs there.' }),
  status: s.but(Status, {
    doc: 'The id and the secrets of the application, and its clients and consumers in the zones.',
  }),
  columns: [
    { name: 'Team', type: 'string', path: '.spec.team' },
    { name: 'ClientId', type: 'string', path: '.status.clientId', priority: 1 },
    { name: 'Zone', type: 'string', path: '.spec.zone.name' },
    ...READY_COLUMNS,
  ],
  admit: admitApplication,
})
export type Application = Resource<ApplicationSpec, ApplicationStatus>
