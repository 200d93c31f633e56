import { defineKind, READY_COLUMNS, ZONE_COLUMN } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'

const Spec = s.object(
  {},
  {
    admin: s.object(
      { url: s.uri({ doc: 'Address for administration.' }) },
      {
        clientId: s.string({ doc: 'Client used for administration.' }),
        clientSecret: s.string({ secret: 'given', doc: 'Secret of that client.' }),
        issuerUrl: s.string({ doc: 'Where that client gets its tokens.' }),
      },
      { doc: "A gateway of your own. When absent, the product's own gateway is meant." },
    ),
    redis: s.object(
      { host: s.string({ doc: 'Host.' }), port: s.integer({ doc: 'Port.' }) },
      {
        password: s.string({ secret: 'given', doc: 'Password.' }),
        enableTLS: s.boolean({ doc: 'Whether to connect with TLS.' }),
      },
      { doc: 'A shared counter store for rate limits.' },
    ),
    features: s.list(s.string(), { doc: 'What the gateway offers.' }),
  },
)
const Status = s.object({})

export type GatewaySpec = Infer<typeof Spec>
export type GatewayStatus = Infer<typeof Status>

export const Gateway = defineKind<GatewaySpec, GatewayStatus>({
  group: 'gateway.cp.ei.vendor.de',
  kind: 'Gateway',
  plural: 'gateways',
  shortNames: ['gw'],
  doc: 'The gateway of a zone.',
  spec: s.but(Spec, { doc: 'How the gateway of the zone is reached and what it offers.' }),
  status: s.but(Status, { doc: 'Whether the gateway can be used.' }),
  columns: [{ name: 'Admin', type: 'string', path: '.spec.admin.url', priority: 1 }, ZONE_COLUMN, ...READY_COLUMNS],
  written: 'by-platform',
})
export type Gateway = Resource<GatewaySpec, GatewayStatus>
