import { defineKind, READY_COLUMNS, ref, refs } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'
import { admitZone } from './admit-zone.ts'
import { duration } from '#domain/kinds/shared.ts'

const HOSTNAME = '^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$'

const PresetUrl = s.object(
  {
    hostname: s.string({
      minLength: 1,
      maxLength: 253,
      pattern: HOSTNAME,
      doc: 'The advertised host; never loopback.',
    }),
    basePath: s.string({ default: '/', maxLength: 200, pattern: '^/.*$', doc: 'Prefix of every path on this host.' }),
    scheme: s.oneOf(['https', 'http'], { default: 'https', doc: 'How the host is called.' }),
  },
  {
    port: s.integer({ minimum: 1, maximum: 65535, doc: "The scheme's own port when absent." }),
    hidden: s.boolean({ doc: 'Accepts traffic but is never advertised.' }),
  },
)

const Feature = s.object({
  name: s.string({ minLength: 1, doc: 'Name of the feature, for instance ConsumerFailover.' }),
  enabled: s.boolean({ default: true, doc: 'Whether it is on.' }),
})

const Preset = s.object(
  {
    name: s.string({ minLength: 1, maxLength: 63, doc: 'Unique within the zone.' }),
    urls: s.list(PresetUrl, {
      minItems: 1,
      maxItems: 5,
      doc: 'Under which addresses routes of this preset are served.',
    }),
  },
  {
    default: s.boolean({ doc: 'Whether routes use this preset unless something else is asked for.' }),
    features: s.list(Feature, { listType: 'map', listMapKeys: ['name'], doc: 'What this preset is meant for.' }),
  },
)

const Gateway = s.object(
  {
    presets: s.list(Preset, {
      minItems: 1,
      maxItems: 5,
      listType: 'map',
      listMapKeys: ['name'],
      doc: 'The addresses of the gateway.',
    }),
  },
  {
    admin: s.object(
      { url: s.uri({ doc: 'Admin address of the gateway.' }) },
      {
        clientId: s.string({ doc: 'Client that may administer the gateway; `rover` when absent.' }),
        clientSecret: s.string({ secret: 'given', doc: 'Secret of that client. Left out of an update it stays.' }),
      },
      {
        doc: "A gateway of your own. When absent, the product's own is meant. This version talks to neither yet.",
      },
    ),
  },
  { doc: 'The gateway of the zone.' },
)

export const ThresholdSchema = s.object(
  { before: duration('How long before the deadline the reminder is sent.') },
  { repeat: duration('How often it is repeated until a closer threshold or the deadline.') },
)

const IdentityProvider = s.object(
  {},
  {
    url: s.uri({
      doc: 'Base address of your provider, one per zone. When absent: `/zones/<zone>` at the `--issuer-url` of the server; the product has no issuer of its own yet.',
    }),
    admin: s.object(
      {
        clientId: s.string({ minLength: 1, doc: 'Client used for administration.' }),
        userName: s.string({ minLength: 1, doc: 'User used for administration.' }),
      },
      {
        url: s.uri({ doc: 'Admin address; `<url>/auth/admin/realms` when absent.' }),
        password: s.string({ secret: 'given', doc: 'Password of that user. Left out of an update it stays.' }),
      },
      { doc: 'Access for administration. Without it the provider is external and not managed from here.' },
    ),
    secretRotation: s.object(
      { enabled: s.boolean({ default: true, doc: 'Whether the old secret stays valid for a while.' }) },
      {
        gracePeriod: duration('How long the old secret stays valid after a rotation; `24h` when absent.'),
        expirationPeriod: duration('After which time a secret should be rotated; never when absent.'),
        notificationThresholds: s.list(ThresholdSchema, {
          minItems: 1,
          maxItems: 10,
          doc: 'When owners are reminded.',
        }),
      },
      { doc: 'How secrets of applications in this zone are rotated.' },
    ),
  },
  { doc: 'The identity provider of the zone.' },
)

const Redis = s.object(
  {
    host: s.string({ minLength: 1, doc: 'Host of the server.' }),
    port: s.integer({ default: 6379, minimum: 1, maximum: 65535, doc: 'Port of the server.' }),
  },
  {
    password: s.string({ secret: 'given', doc: 'Password of the server. Left out of an update it stays.' }),
    enableTLS: s.boolean({ doc: 'Whether to connect with TLS.' }),
  },
  { doc: 'A shared counter store for rate limits of several gateways.' },
)

const ManagedRoute = s.object({
  name: s.string({ minLength: 1, maxLength: 200, doc: 'Unique within the zone.' }),
  path: s.string({ pattern: '^/.*$', maxLength: 200, doc: 'Path on the gateway.' }),
  url: s.uri({ doc: 'Where it leads.' }),
  type: s.oneOf(['TeamAPI', 'Proxy'], { doc: 'TeamAPI asks for a token of the team realm, Proxy for none.' }),
})

const Spec = s.object(
  {
    visibility: s.oneOf(['World', 'Enterprise'], { doc: 'Who can reach the zone.' }),
    gateway: Gateway,
  },
  {
    identityProvider: IdentityProvider,
    redis: Redis,
    managedRoutes: s.object(
      { routes: s.list(ManagedRoute, { doc: 'The routes.' }) },
      {},
      { doc: 'Fixed routes of the zone.' },
    ),
    permissions: s.object(
      { apiBasePath: s.string({ pattern: '^/.*$', doc: 'Base path of the permission service.' }) },
      { consoleUrl: s.uri({ doc: 'Where people manage permissions.' }) },
      { doc: 'The permission service of the zone.' },
    ),
    externalIdPolicies: s.list(
      s.object(
        {
          scheme: s.string({
            minLength: 1,
            maxLength: 32,
            pattern: '^[a-z][a-z0-9]*$',
            doc: 'Which register is meant.',
          }),
          pattern: s.string({ minLength: 1, maxLength: 200, doc: 'Regular expression ids have to match.' }),
        },
        { required: s.boolean({ doc: 'Whether every application of the zone needs such an id.' }) },
      ),
      { maxItems: 16, doc: 'Which external ids applications of the zone carry.' },
    ),
  },
)

const Links = s.object(
  {},
  {
    gatewayUrl: s.string({ doc: 'Address of the gateway.' }),
    gatewayIssuer: s.string({ doc: 'Issuer of the tokens that clients of the zone use.' }),
    gatewayLmsIssuer: s.string({ doc: 'Issuer of the last-mile-security tokens that the gateway itself makes.' }),
    internalIssuer: s.string({ doc: 'Issuer of the platform’s own clients in the zone.' }),
    teamApiIssuer: s.string({ doc: 'Issuer of team tokens, when the zone has TeamAPI routes.' }),
    permissionsUrl: s.string({ doc: 'Address of the permission service.' }),
  },
  { doc: 'Addresses and issuers others build on.' },
)

const Status = s.object(
  {},
  {
    namespace: s.string({ doc: 'The namespace that holds everything of the zone.' }),
    identityProvider: ref('The identity provider of the zone.'),
    identityRealm: ref('The realm of clients of the zone.'),
    internalIdentityRealm: ref('The realm of the platform’s own clients.'),
    teamApiIdentityRealm: ref('The realm of team tokens.'),
    gateway: ref('The gateway of the zone.'),
    gatewayAdminClient: ref('The client that administers the gateway.'),
    gatewayConsumer: ref('The consumer of every cross-zone hop.'),
    managedRoutes: refs('The fixed routes of the zone.'),
    realmName: s.string({ doc: 'Name of the realm of the zone.' }),
    features: s.list(Feature, { doc: 'What the zone offers.' }),
    links: Links,
  },
)

export type PresetUrl = Infer<typeof PresetUrl>
export type Preset = Infer<typeof Preset>
export type Threshold = Infer<typeof ThresholdSchema>
export type ManagedRoute = Infer<typeof ManagedRoute>
export type ZoneLinks = Infer<typeof Links>
export type ZoneSpec = Infer<typeof Spec>
export type ZoneStatus = Infer<typeof Status>

export const Zone = defineKind<ZoneSpec, ZoneStatus>({
  group: 'admin.cp.ei.vendor.de',
  kind: 'Zone',
  plural: 'zones',
  doc: 'A place with a gateway and an issuer of its own, between which traffic is routed.',
  spec: s.but(Spec, { doc: 'How the zone is reached, and what belongs to its gateway and its issuer.' }),
  status: s.but(Status, { doc: 'What was made for the zone, and the addresses others build on.' }),
  columns: [
    { name: 'Visibility', type: 'string', path: '.spec.visibility' },
    { name: 'Gateway', type: 'string', path: '.status.links.gatewayUrl' },
    ...READY_COLUMNS,
  ],
  admit: admitZone,
})
export type Zone = Resource<ZoneSpec, ZoneStatus>
