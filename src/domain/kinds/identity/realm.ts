import { defineKind, READY_COLUMNS, ref, ZONE_COLUMN } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'
import { duration } from '#domain/kinds/shared.ts'

const Claim = s.object(
  {
    name: s.string({ minLength: 1, doc: 'Name of the claim.' }),
    type: s.oneOf(['HardcodedClaim', 'SessionNote'], {
      default: 'HardcodedClaim',
      doc: 'HardcodedClaim: always `value`. SessionNote: the client id of the token’s owner.',
    }),
  },
  { value: s.string({ doc: 'The value of a hard-coded claim.' }) },
)

const Spec = s.object(
  {
    identityProvider: ref('The provider the realm belongs to.'),
    name: s.string({ minLength: 1, maxLength: 200, doc: 'Name of the realm in issuer addresses.' }),
  },
  {
    secretRotation: s.object(
      { gracePeriod: duration('How long an old secret stays valid after a rotation.') },
      {
        expirationPeriod: duration('After which time a secret should be rotated.'),
        remainingRotationPeriod: duration('How long before its end a secret may be rotated.'),
      },
      { doc: 'How secrets of clients of the realm are rotated; absent: old secrets end at once.' },
    ),
    claims: s.list(Claim, { listType: 'map', listMapKeys: ['name'], doc: 'Claims added to every token of the realm.' }),
  },
)
const Status = s.object(
  {},
  {
    issuerUrl: s.string({ doc: 'The issuer of its tokens.' }),
    adminUrl: s.string({ doc: 'Address for administration.' }),
    adminTokenUrl: s.string({ doc: 'Where tokens for administration come from.' }),
    adminClientId: s.string({ doc: 'Client used for administration.' }),
    adminUserName: s.string({ doc: 'User used for administration.' }),
    adminPassword: s.string({ secret: 'given', doc: 'Password of that user.' }),
  },
)

export type RealmClaim = Infer<typeof Claim>
export type RealmSpec = Infer<typeof Spec>
export type RealmStatus = Infer<typeof Status>

export const Realm = defineKind<RealmSpec, RealmStatus>({
  group: 'identity.cp.ei.vendor.de',
  kind: 'Realm',
  plural: 'realms',
  doc: 'A set of clients that get their tokens from one issuer.',
  spec: s.but(Spec, { doc: 'To which provider the realm belongs, and what is in its tokens.' }),
  status: s.but(Status, { doc: 'The issuer of the realm, and how it is administered.' }),
  columns: [{ name: 'Issuer', type: 'string', path: '.status.issuerUrl' }, ZONE_COLUMN, ...READY_COLUMNS],
  written: 'by-platform',
})
export type Realm = Resource<RealmSpec, RealmStatus>
