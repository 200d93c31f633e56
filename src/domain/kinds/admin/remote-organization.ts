import { defineKind, READY_COLUMNS, ref } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'
import { NAME_PATTERN } from '#domain/kinds/shared.ts'

const Spec = s.object(
  {
    id: s.string({ minLength: 1, maxLength: 63, pattern: NAME_PATTERN, doc: 'Short id of the organization.' }),
    url: s.uri({ doc: 'Address of its control plane.' }),
    zone: ref('The zone through which it is reached.'),
  },
  {
    clientId: s.string({ doc: 'Client used to call its control plane.' }),
    clientSecret: s.string({ secret: 'given', doc: 'Secret of that client.' }),
    issuerUrl: s.uri({ doc: 'Where that client gets its tokens.' }),
  },
)
const Status = s.object({}, { namespace: s.string({ doc: 'The namespace of what is received from it.' }) })

export type RemoteOrganizationSpec = Infer<typeof Spec>
export type RemoteOrganizationStatus = Infer<typeof Status>

export const RemoteOrganization = defineKind<RemoteOrganizationSpec, RemoteOrganizationStatus>({
  group: 'admin.cp.ei.vendor.de',
  kind: 'RemoteOrganization',
  plural: 'remoteorganizations',
  doc: 'Another organization whose APIs can be subscribed to.',
  spec: s.but(Spec, { doc: 'Where the other organization is reached, and with which client.' }),
  status: s.but(Status, { doc: 'What was made for the exchange with the organization.' }),
  columns: [
    { name: 'Id', type: 'string', path: '.spec.id' },
    { name: 'Zone', type: 'string', path: '.spec.zone.name' },
    ...READY_COLUMNS,
  ],
})
export type RemoteOrganization = Resource<RemoteOrganizationSpec, RemoteOrganizationStatus>
