import { defineKind, READY_COLUMNS, ref, refs } from '#domain/kind.ts'
import { ProviderSecurity } from '#domain/kinds/gateway/security.ts'
import { CircuitBreaker, RateLimit, SubscriberRateLimit, Transformation } from '#domain/kinds/gateway/traffic.ts'
import { STRATEGIES, visibility } from '#domain/kinds/shared.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Upstream = s.object(
  { url: s.uri({ minLength: 1, doc: 'Address of the upstream.' }) },
  { weight: s.integer({ minimum: 1, maximum: 100, doc: 'Share of the calls, among several.' }) },
)

const Approval = s.object(
  { strategy: s.oneOf(STRATEGIES, { default: 'Auto', doc: 'How many people have to agree: none, one or two.' }) },
  { trustedTeams: s.list(s.string(), { maxItems: 10, doc: 'Teams that need no approval.' }) },
  { doc: 'How subscriptions are approved.' },
)

const Traffic = s.object(
  {},
  {
    failover: s.object(
      {},
      { zones: refs('Zones that stand in for this one.') },
      { doc: 'When the zone is unhealthy.' },
    ),
    rateLimit: s.object(
      {},
      { provider: RateLimit, subscriberRateLimit: SubscriberRateLimit },
      { doc: 'How many calls are let through.' },
    ),
    circuitBreaker: CircuitBreaker,
  },
  { doc: 'How traffic is shaped.' },
)

const Spec = s.object(
  {
    apiBasePath: s.string({ maxLength: 200, pattern: '^/.*$', doc: 'Base path of the exposed API.' }),
    upstreams: s.list(Upstream, { minItems: 1, maxItems: 12, doc: 'Where calls go.' }),
    visibility: visibility('From which zones it can be subscribed to.', { default: 'Enterprise' }),
    approval: Approval,
    zone: ref('The zone of the exposure.'),
  },
  {
    provider: ref('The providing application; the one of the label `application` in the same namespace when absent.'),
    traffic: Traffic,
    transformation: Transformation,
    security: ProviderSecurity,
  },
)
const Status = s.object(
  { active: s.boolean({ doc: 'Whether this is the exposure of its base path.' }) },
  {
    route: ref('The route in the zone of the exposure.'),
    proxyRoutes: refs('The routes in zones of subscribers.'),
    failoverRoutes: refs('The routes in failover zones.'),
  },
)

export type ApiExposureSpec = Infer<typeof Spec>
export type ApiExposureStatus = Infer<typeof Status>

export const ApiExposure = defineKind<ApiExposureSpec, ApiExposureStatus>({
  group: 'api.cp.ei.vendor.de',
  kind: 'ApiExposure',
  plural: 'apiexposures',
  doc: 'An application provides an API. Of several with one base path the oldest is active.',
  spec: s.but(Spec, { doc: 'Which API an application provides, where, for whom, and how calls to it are shaped.' }),
  status: s.but(Status, { doc: 'Whether the exposure is the active one, and the routes made for it.' }),
  columns: [
    { name: 'Base Path', type: 'string', path: '.spec.apiBasePath' },
    { name: 'Visibility', type: 'string', path: '.spec.visibility', priority: 1 },
    { name: 'Active', type: 'boolean', path: '.status.active' },
    { name: 'Zone', type: 'string', path: '.spec.zone.name' },
    ...READY_COLUMNS,
  ],
})
export type ApiExposure = Resource<ApiExposureSpec, ApiExposureStatus>
