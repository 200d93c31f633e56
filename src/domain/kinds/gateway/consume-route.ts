import { defineKind, READY_COLUMNS, ref, ZONE_COLUMN } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s, type Infer } from '#domain/schema.ts'
import { ConsumerM2m } from './security.ts'
import { Limits } from './traffic.ts'

const Spec = s.object(
  {
    route: ref('The route that may be called.'),
    consumerName: s.string({ minLength: 1, doc: 'Who may call it.' }),
  },
  {
    security: s.object({}, { m2m: ConsumerM2m }, { doc: 'How its calls are authenticated to the upstream.' }),
    traffic: s.object(
      {},
      { rateLimit: s.object({ limits: Limits }, {}, { doc: 'Limit of the calls of this consumer.' }) },
      { doc: 'How its traffic is shaped.' },
    ),
  },
)
const Status = s.object({}, { properties: s.map(s.string(), { doc: 'Ids at an external gateway.' }) })

export type ConsumeRouteSpec = Infer<typeof Spec>
export type ConsumeRouteStatus = Infer<typeof Status>

export const ConsumeRoute = defineKind<ConsumeRouteSpec, ConsumeRouteStatus>({
  group: 'gateway.cp.ei.vendor.de',
  kind: 'ConsumeRoute',
  plural: 'consumeroutes',
  doc: 'Lets one consumer call one route.',
  spec: s.but(Spec, { doc: 'Which consumer may call which route, and how its calls are treated.' }),
  status: s.but(Status, { doc: 'Whether the permission is in force.' }),
  columns: [
    { name: 'Route', type: 'string', path: '.spec.route.name' },
    { name: 'Consumer', type: 'string', path: '.spec.consumerName' },
    ZONE_COLUMN,
    ...READY_COLUMNS,
  ],
  written: 'by-platform',
})
export type ConsumeRoute = Resource<ConsumeRouteSpec, ConsumeRouteStatus>
