import { defineKind, READY_COLUMNS, ref, ZONE_COLUMN } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'
import { RouteM2m } from './security.ts'
import { CircuitBreaker, RateLimit, Transformation } from './traffic.ts'

const upstreamFields = {
  scheme: s.oneOf(['http', 'https'], { doc: 'How it is called.' }),
  hostname: s.string({ minLength: 1, maxLength: 253, doc: 'Its host.' }),
  port: s.integer({ minimum: 1, maximum: 65535, doc: 'Its port.' }),
  path: s.string({ pattern: '^/.*$', doc: 'Its path, to which the rest of the request path is appended.' }),
}
const weight = s.integer({ minimum: 0, maximum: 100, doc: 'Share of the calls, among several.' })

const Upstream = s.object(upstreamFields, { weight })
const Target = s.object(upstreamFields, { weight, zoneName: s.string({ doc: 'The zone whose gateway this is.' }) })

const Failover = s.object(
  {
    targetZoneName: s.string({ minLength: 1, doc: 'The zone calls go to as long as it is healthy.' }),
    targets: s.list(Target, { maxItems: 12, doc: 'Where calls go otherwise, in this order.' }),
  },
  {
    security: s.object(
      {},
      { m2m: RouteM2m, realmName: s.string({ doc: 'Realm of the tokens made for the targets.' }) },
      { doc: 'How the targets are authenticated to.' },
    ),
  },
  { doc: 'What happens when the zone of the upstream is unhealthy.' },
)

const Traffic = s.object(
  {},
  {
    failover: Failover,
    rateLimit: RateLimit,
    circuitBreaker: CircuitBreaker,
    dynamicUpstream: s.object(
      { queryParameter: s.string({ minLength: 1, maxLength: 63, pattern: '^[a-zA-Z0-9_-]+$', doc: 'Its name.' }) },
      {},
      { doc: 'The upstream is read from a query parameter, which is removed.' },
    ),
  },
  { doc: 'How traffic is shaped.' },
)

const Security = s.object(
  {
    disableAccessControl: s.boolean({ default: false, doc: 'Do not check the allow-list; tokens are still checked.' }),
  },
  {
    defaultConsumers: s.list(s.string({ minLength: 1 }), { doc: 'Consumers allowed besides those of ConsumeRoutes.' }),
    trustedIssuers: s.list(s.uri(), { doc: 'Issuers whose tokens the incoming hop may carry.' }),
    realmName: s.string({ doc: 'Realm of the tokens the gateway makes for the next hop.' }),
    m2m: RouteM2m,
  },
  { doc: 'Who may call.' },
)

const Spec = s.object(
  {
    gatewayRef: ref('The gateway that serves the route.'),
    type: s.oneOf(['PRIMARY', 'SECONDARY', 'PROXY'], {
      default: 'PRIMARY',
      doc: 'PRIMARY reaches the upstream itself, PROXY the gateway of another zone, SECONDARY stands in for a primary.',
    }),
    backend: s.object(
      { upstreams: s.list(Upstream, { minItems: 1, maxItems: 12, doc: 'Where calls go.' }) },
      {},
      { doc: 'What is behind the route.' },
    ),
  },
  {
    hostnames: s.list(s.string({ minLength: 1, maxLength: 253 }), {
      maxItems: 50,
      doc: 'Hosts it answers on; none: any.',
    }),
    paths: s.list(s.string({ pattern: '^/.*$' }), { maxItems: 50, doc: 'Path prefixes it answers on; none: any.' }),
    passThrough: s.boolean({ doc: 'No authentication at all.' }),
    traffic: Traffic,
    security: Security,
    transformation: Transformation,
    buffering: s.object(
      {},
      {
        disableRequestBuffering: s.boolean({ doc: 'Pass requests on as they arrive.' }),
        disableResponseBuffering: s.boolean({ doc: 'Pass responses on as they arrive.' }),
      },
      { doc: 'Whether bodies are collected before they are passed on.' },
    ),
  },
)
const Status = s.object({}, { properties: s.map(s.string(), { doc: 'Ids at an external gateway.' }) })

export type Upstream = Infer<typeof Upstream>
export type FailoverTarget = Infer<typeof Target>
export type RouteTraffic = Infer<typeof Traffic>
export type RouteSecurity = Infer<typeof Security>
export type RouteSpec = Infer<typeof Spec>
export type RouteStatus = Infer<typeof Status>

export const Route = defineKind<RouteSpec, RouteStatus>({
  group: 'gateway.cp.ei.vendor.de',
  kind: 'Route',
  plural: 'routes',
  doc: 'An address on a gateway that accepts traffic and forwards it.',
  spec: s.but(Spec, { doc: 'Where the route is reached, where calls go, who may call and what happens on the way.' }),
  status: s.but(Status, { doc: 'Whether the route is in force.' }),
  columns: [
    { name: 'Type', type: 'string', path: '.spec.type' },
    { name: 'Path', type: 'string', path: '.spec.paths[0]' },
    { name: 'Upstream', type: 'string', path: '.spec.backend.upstreams[0].hostname', priority: 1 },
    ZONE_COLUMN,
    ...READY_COLUMNS,
  ],
  written: 'by-platform',
})
export type Route = Resource<RouteSpec, RouteStatus>
