import { defineKind, READY_COLUMNS, ref, ZONE_COLUMN } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Spec = s.object(
  {
    realm: ref('The realm that issues its tokens.'),
    clientId: s.string({ minLength: 1, maxLength: 255, doc: 'The id it authenticates with; the `azp` of its tokens.' }),
  },
  {
    clientSecret: s.string({ secret: 'generated', doc: 'Its secret; made by the server when absent.' }),
    rotatedClientSecret: s.string({
      secret: 'given',
      doc: 'The previous secret, accepted until `rotatedSecretExpiresAt`.',
    }),
    rotatedSecretExpiresAt: s.time({ doc: 'When the previous secret ends.' }),
    jwks: s.anything({ doc: 'Public keys (a JWK set) for clients that sign instead of sending a secret.' }),
  },
)
const Status = s.object(
  {},
  {
    clientUid: s.string({ doc: 'Its id at an external provider.' }),
    issuerUrl: s.string({ doc: 'The issuer of its tokens.' }),
    tokenUrl: s.string({ doc: 'Where it gets its tokens.' }),
    rotatedSecretExpiresAt: s.time({ doc: 'When the previous secret ends.' }),
    secretExpiresAt: s.time({ doc: 'When the secret should have been rotated.' }),
  },
)

export type ClientSpec = Infer<typeof Spec>
export type ClientStatus = Infer<typeof Status>

export const Client = defineKind<ClientSpec, ClientStatus>({
  group: 'identity.cp.ei.vendor.de',
  kind: 'Client',
  plural: 'clients',
  doc: 'An OAuth2 client of one realm.',
  spec: s.but(Spec, { doc: 'By which id and secret the client gets tokens, and from which realm.' }),
  status: s.but(Status, { doc: 'Where the client gets its tokens, and until when its secrets hold.' }),
  columns: [
    { name: 'ClientId', type: 'string', path: '.spec.clientId' },
    { name: 'Realm', type: 'string', path: '.spec.realm.name' },
    ZONE_COLUMN,
    ...READY_COLUMNS,
  ],
  written: 'by-platform',
})
export type Client = Resource<ClientSpec, ClientStatus>
