import { Basic, ProviderSecurity } from '#domain/kinds/gateway/security.ts'
import { CircuitBreaker, Limits, RateLimit, Transformation } from '#domain/kinds/gateway/traffic.ts'
import { STRATEGIES, visibility } from '#domain/kinds/shared.ts'
import { atLeastOneOf, notTogether, s, type Infer } from '#domain/schema.ts'

const zoneNames = (doc: string) => s.list(s.string({ minLength: 1 }), { maxItems: 10, doc })
const basePath = s.string({ maxLength: 200, pattern: '^/.*$', doc: 'Base path of the API.' })

export const RoverApproval = s.object(
  { strategy: s.oneOf(STRATEGIES, { default: 'Simple', doc: 'How many people have to agree: none, one or two.' }) },
  {
    trustedTeams: s.list(
      s.object({
        group: s.string({ minLength: 1, doc: 'Its group.' }),
        team: s.string({ minLength: 1, doc: 'Its name.' }),
      }),
      { maxItems: 10, doc: 'Teams that need no approval.' },
    ),
  },
  { doc: 'How subscriptions are approved.' },
)

const ExposureTraffic = s.object(
  {},
  {
    loadBalancing: s.object(
      {
        strategy: s.oneOf(['RoundRobin', 'LeastConnections'], {
          default: 'RoundRobin',
          doc: 'How upstreams are chosen.',
        }),
      },
      {},
      { doc: 'Several upstreams.' },
    ),
    failover: s.object(
      { zones: zoneNames('Zones that stand in for this one.') },
      {},
      { doc: 'When the zone is unhealthy.' },
    ),
    rateLimit: s.object(
      {},
      {
        provider: RateLimit,
        consumers: s.object(
          {},
          {
            default: s.object({ limits: Limits }, {}, { doc: 'For every consumer without an own entry.' }),
            overrides: s.list(s.object({ consumer: s.string({ minLength: 1, doc: 'Client id.' }), limits: Limits }), {
              maxItems: 10,
              doc: 'For single consumers.',
            }),
          },
          { doc: 'Limits per consumer.' },
        ),
      },
      { doc: 'How many calls are let through.' },
    ),
    circuitBreaker: CircuitBreaker,
  },
  { doc: 'How traffic is shaped.' },
)

export const RoverApiExposure = s.object(
  {
    basePath,
    upstreams: s.list(
      s.object(
        { url: s.uri({ minLength: 1, doc: 'Address of the upstream.' }) },
        { weight: s.integer({ minimum: 1, maximum: 100, doc: 'Share of the calls, among several.' }) },
      ),
      { minItems: 1, maxItems: 12, doc: 'Where calls go.' },
    ),
    visibility: visibility('From which zones it can be subscribed to.', { default: 'Enterprise' }),
  },
  { approval: RoverApproval, transformation: Transformation, traffic: ExposureTraffic, security: ProviderSecurity },
  { doc: 'An API the application provides.' },
)

const Client = s.object(
  { clientId: s.string({ minLength: 1, doc: 'Client id.' }) },
  {
    clientSecret: s.string({ secret: 'given', doc: 'Secret of the client.' }),
    clientKey: s.string({ secret: 'given', doc: 'Private key of the client.' }),
  },
  {
    doc: 'OAuth2 client credentials.',
    rules: [
      notTogether('clientSecret', 'clientKey', 'ClientSecret and ClientKey cannot be used together'),
      atLeastOneOf(['clientSecret', 'clientKey'], 'At least one of clientSecret or clientKey must be provided'),
    ],
  },
)

const ConsumerSecurity = s.object(
  {},
  { basic: Basic, client: Client, scopes: s.list(s.string(), { maxItems: 10, doc: 'Scopes of the last-mile token.' }) },
  {
    doc: 'Calls from machine to machine.',
    rules: [
      notTogether('client', 'basic', 'Client and basic authentication cannot be used together'),
      notTogether('scopes', 'basic', 'Scopes and basic authentication cannot be used together'),
      atLeastOneOf(['client', 'basic', 'scopes'], 'At least one of client, basic, or scopes must be provided'),
    ],
  },
)

export const RoverApiSubscription = s.object(
  { basePath },
  {
    organization: s.string({ doc: 'The organization that provides it, when it is another one.' }),
    transformation: Transformation,
    traffic: s.object(
      {},
      {
        failover: s.object(
          {},
          {
            enabled: s.boolean({ doc: 'Every zone that offers it stands in.' }),
            zones: zoneNames('The zones that stand in.'),
          },
          { doc: 'When the zone is unhealthy.' },
        ),
      },
      { doc: 'How traffic is shaped.' },
    ),
    security: s.object({}, { m2m: ConsumerSecurity }, { doc: 'How calls are authenticated to the upstream.' }),
  },
  { doc: 'An API the application consumes.' },
)

export type RoverApiExposure = Infer<typeof RoverApiExposure>
export type RoverApiSubscription = Infer<typeof RoverApiSubscription>
