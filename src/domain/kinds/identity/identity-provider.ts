import { defineKind, READY_COLUMNS, ZONE_COLUMN } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Spec = s.object(
  {
    url: s.uri({ doc: 'Base address: issuers are `<url>/auth/realms/<realm>`.' }),
    managed: s.oneOf(['Own', 'Admin', 'External'], {
      doc: 'Own: at the `--issuer-url` of the server. Admin: access for administration is given. External: it is only trusted.',
    }),
  },
  {
    adminUrl: s.uri({ doc: 'Address for administration.' }),
    adminClientId: s.string({ doc: 'Client used for administration.' }),
    adminUserName: s.string({ doc: 'User used for administration.' }),
    adminPassword: s.string({ secret: 'given', doc: 'Password of that user.' }),
  },
)
const Status = s.object(
  {},
  {
    adminUrl: s.string({ doc: 'Address for administration.' }),
    adminTokenUrl: s.string({ doc: 'Where tokens for administration come from.' }),
    adminConsoleUrl: s.string({ doc: 'Where people administer it.' }),
  },
)

export type IdentityProviderSpec = Infer<typeof Spec>
export type IdentityProviderStatus = Infer<typeof Status>

export const IdentityProvider = defineKind<IdentityProviderSpec, IdentityProviderStatus>({
  group: 'identity.cp.ei.vendor.de',
  kind: 'IdentityProvider',
  plural: 'identityproviders',
  shortNames: ['idp'],
  doc: 'Where the tokens of a zone come from.',
  spec: s.but(Spec, { doc: 'Where the provider is, and who manages it.' }),
  status: s.but(Status, { doc: 'The addresses for administration, where it is administered from here.' }),
  columns: [
    { name: 'Url', type: 'string', path: '.spec.url' },
    { name: 'Managed', type: 'string', path: '.spec.managed' },
    ZONE_COLUMN,
    ...READY_COLUMNS,
  ],
  written: 'by-platform',
})
export type IdentityProvider = Resource<IdentityProviderSpec, IdentityProviderStatus>
