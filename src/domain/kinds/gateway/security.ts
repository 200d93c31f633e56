import { atLeastOneOf, exactlyOneOf, notTogether, s, type Infer } from '#domain/schema.ts'

export const Basic = s.object(
  {
    username: s.string({ minLength: 1, doc: 'User name.' }),
    password: s.string({ minLength: 1, secret: 'given', doc: 'Password.' }),
  },
  {},
  { doc: 'Basic authentication.' },
)

export const OAuthClient = s.object(
  { clientId: s.string({ minLength: 1, doc: 'Client id.' }) },
  {
    clientSecret: s.string({ secret: 'given', doc: 'Secret of the client.' }),
    clientKey: s.string({ secret: 'given', doc: 'Private key of the client.' }),
    refreshToken: s.string({ secret: 'given', doc: 'Refresh token, for that grant.' }),
  },
  { doc: 'OAuth2 client credentials.' },
)

export const ExternalIdp = s.object(
  {
    tokenEndpoint: s.uri({ doc: 'Where tokens for the upstream come from.' }),
    tokenRequest: s.oneOf(['client_secret_basic', 'client_secret_post'], {
      default: 'client_secret_basic',
      doc: 'How the client authenticates there.',
    }),
    grantType: s.oneOf(['client_credentials', 'authorization_code', 'password', 'refresh_token'], {
      default: 'client_credentials',
      doc: 'Which grant is used.',
    }),
  },
  { basic: Basic, client: OAuthClient },
  {
    doc: 'The upstream asks for tokens of its own provider.',
    rules: [notTogether('basic', 'client', 'Client and basic authentication cannot be used together')],
  },
)

export const Scopes = s.list(s.string(), { maxItems: 10, doc: 'Scopes added to the last-mile-security token.' })

/** The audience of an exposure's last-mile-security token, as the provider writes it. */
export const Audience = s.object(
  {},
  {
    value: s.string({ minLength: 1, maxLength: 256, doc: 'A fixed audience.' }),
    valueFrom: s.oneOf(['ProviderClientId', 'ConsumerClientId', 'BasePath'], {
      doc: 'An audience known when routing.',
    }),
  },
  { doc: 'The `aud` claim.', rules: [exactlyOneOf('value', 'valueFrom')] },
)

const M2M_RULES = [
  notTogether('externalIDP', 'basic', 'ExternalIDP and basic authentication cannot be used together'),
  notTogether('scopes', 'basic', 'Scopes and basic authentication cannot be used together'),
  notTogether('claims', 'externalIDP', 'Claims and ExternalIDP cannot be used together'),
  notTogether('claims', 'basic', 'Claims and basic authentication cannot be used together'),
  atLeastOneOf(
    ['externalIDP', 'basic', 'scopes', 'claims'],
    'At least one of externalIDP, basic, scopes, or claims must be provided',
  ),
]

/** How a provider wants to be called (ApiExposure, Rover). */
export const ProviderSecurity = s.object(
  {},
  {
    m2m: s.object(
      {},
      {
        externalIDP: ExternalIdp,
        basic: Basic,
        scopes: Scopes,
        claims: s.object({}, { aud: Audience }, { doc: 'Claims of the last-mile-security token.' }),
      },
      { doc: 'Calls from machine to machine.', rules: M2M_RULES },
    ),
  },
  { doc: 'How the upstream is authenticated to.' },
)

const RouteClaim = s.object(
  { key: s.oneOf(['aud'], { doc: 'Name of the claim.' }) },
  {
    value: s.string({ minLength: 1, maxLength: 256, doc: 'A fixed value.' }),
    valueFrom: s.oneOf(['ConsumerClientId'], { doc: 'A value known when a call arrives.' }),
  },
)

/** The same on a Route: everything that can be resolved beforehand is. */
export const RouteM2m = s.object(
  {},
  {
    externalIDP: ExternalIdp,
    basic: Basic,
    scopes: Scopes,
    claims: s.list(RouteClaim, { doc: 'Claims of the last-mile-security token.' }),
  },
  { doc: 'How the upstream is authenticated to.' },
)

/** How a consumer authenticates to the upstream (ConsumeRoute). */
export const ConsumerM2m = s.object(
  {},
  { basic: Basic, client: OAuthClient, scopes: Scopes },
  { doc: 'How calls of this consumer are authenticated to the upstream.' },
)

export type ProviderSecurity = Infer<typeof ProviderSecurity>
export type RouteM2m = Infer<typeof RouteM2m>
export type ConsumerM2m = Infer<typeof ConsumerM2m>
