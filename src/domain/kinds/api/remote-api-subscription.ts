import { defineKind, READY_COLUMNS, ref } from '#domain/kind.ts'
import { APPROVAL_STATES } from '#domain/kinds/approval/parties.ts'
import { ConsumerM2m } from '#domain/kinds/gateway/security.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Spec = s.object(
  {
    apiBasePath: s.string({ doc: 'Base path of the API over there.' }),
    targetOrganization: s.string({ minLength: 1, doc: 'The organization that provides it.' }),
    requester: s.object(
      {
        application: s.string({ doc: 'Name of the application.' }),
        team: s.object(
          { name: s.string({ doc: 'Name.' }), email: s.string({ doc: 'Address.' }) },
          {},
          { doc: 'Its team.' },
        ),
      },
      {},
      { doc: 'Who subscribes.' },
    ),
  },
  {
    sourceOrganization: s.string({ doc: 'The organization of the subscriber, as seen over there.' }),
    security: s.object(
      {},
      { m2m: ConsumerM2m, h2m: s.anything({ doc: 'Kept as given.' }) },
      { doc: 'How calls are authenticated to the upstream.' },
    ),
  },
)

const RemoteState = s.object(
  { approvalState: s.oneOf(APPROVAL_STATES, { doc: 'The state over there.' }) },
  { message: s.string({ doc: 'What was said about it.' }) },
)
const Status = s.object(
  {},
  {
    gatewayUrl: s.string({ doc: 'Where the API is reached over there.' }),
    approval: s.but(RemoteState, { doc: 'The approval over there.' }),
    approvalRequest: s.but(RemoteState, { doc: 'The request over there.' }),
    route: ref('The route to it.'),
    apiSubscription: ref('The subscription made for it.'),
    application: ref('The application made for it.'),
  },
)

export type RemoteApiSubscriptionSpec = Infer<typeof Spec>
export type RemoteApiSubscriptionStatus = Infer<typeof Status>

export const RemoteApiSubscription = defineKind<RemoteApiSubscriptionSpec, RemoteApiSubscriptionStatus>({
  group: 'api.cp.ei.vendor.de',
  kind: 'RemoteApiSubscription',
  plural: 'remoteapisubscriptions',
  doc: 'A subscription to an API of another organization.',
  spec: s.but(Spec, { doc: 'Which API of another organization is wanted, and for whom.' }),
  status: s.but(Status, { doc: 'What the other organization answered, and what was made from that.' }),
  columns: [
    { name: 'Base Path', type: 'string', path: '.spec.apiBasePath' },
    { name: 'Organization', type: 'string', path: '.spec.targetOrganization' },
    ...READY_COLUMNS,
  ],
  written: 'by-platform',
})
export type RemoteApiSubscription = Resource<RemoteApiSubscriptionSpec, RemoteApiSubscriptionStatus>
