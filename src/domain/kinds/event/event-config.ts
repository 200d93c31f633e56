import { defineKind, READY_COLUMNS, ref, refs, type ResourceOf } from '#domain/kind.ts'
import { sameRef } from '#domain/object.ts'
import { exactlyOneOf, type Infer, s } from '#domain/schema.ts'
import { aboutDuplicates, advise, when } from '#domain/kinds/advice.ts'
import { EventClient, EventClientStatus } from './event-client.ts'

const Admin = s.object(
  { url: s.uri({ minLength: 1, doc: 'Address of the configuration backend.' }) },
  { client: s.but(EventClient, { doc: 'Client with which the configuration backend is called; made when absent.' }) },
  { doc: 'Connection to the configuration backend.' },
)

const Local = s.object(
  {
    admin: Admin,
    publishEventUrl: s.uri({ minLength: 1, doc: 'Where the backend accepts events.' }),
    serverSendEventUrl: s.uri({ minLength: 1, doc: 'Where the backend offers live streams (SSE).' }),
  },
  { voyagerApiUrl: s.uri({ doc: 'Where past events are listed and sent again; makes the replay routes.' }) },
  { doc: 'The zone runs its own event backend. Excludes proxy.' },
)

const Mesh = s.object(
  {
    fullMesh: s.boolean({ default: true, doc: 'Every zone can communicate with every other zone.' }),
  },
  {
    client: s.but(EventClient, { doc: 'Client with which callbacks are sent; made when absent.' }),
    zoneNames: s.list(s.string(), { doc: 'Zones to mesh with when fullMesh is false.' }),
  },
  { doc: "Which zones events may reach. When absent: all, with the zone's default identity realm." },
)

const Proxy = s.object(
  { targetZone: ref('The zone whose event backend is used.') },
  {},
  { doc: 'The zone forwards all traffic to a target zone. Excludes local.' },
)

const Spec = s.object(
  { zone: ref('The zone this is the configuration of.') },
  {
    local: Local,
    mesh: Mesh,
    overwriteEnvironmentName: s.string({ doc: 'Name of the environment towards the configuration backend, verbatim.' }),
    proxy: Proxy,
  },
  { doc: 'How the zone takes part in eventing.', rules: [exactlyOneOf('local', 'proxy')] },
)

const Status = s.object(
  {},
  {
    adminClient: s.but(EventClientStatus, { doc: 'Identity client for the configuration backend.' }),
    callbackRoute: ref("The EventConfig's own primary callback route."),
    callbackUrl: s.string({ doc: 'Effective callback ingress URL.' }),
    eventStore: ref('The runtime configuration of the backend.'),
    meshClient: s.but(EventClientStatus, { doc: 'Identity client for the mesh.' }),
    proxyCallbackRoutes: refs('Outbound callback routes; none for a proxy.'),
    proxyCallbackUrls: s.map(s.string(), { doc: 'Callback URLs by name of the remote zone.' }),
    proxyVoyagerRoutes: refs('Replay routes to other zones.'),
    proxyVoyagerUrls: s.map(s.string(), { doc: 'Replay URLs by name of the remote zone.' }),
    publishRoute: ref('The publish route.'),
    publishUrl: s.string({ doc: 'Address of the publish route.' }),
    voyagerRoute: ref('The replay route.'),
    voyagerUrl: s.string({ doc: 'Address of the replay route.' }),
  },
)

/** How one zone takes part in eventing: with a backend of its own, or through another zone's (§2.5). */
export const EventConfig = defineKind({
  group: 'event.cp.ei.vendor.de',
  kind: 'EventConfig',
  plural: 'eventconfigs',
  shortNames: ['evcfg'],
  doc: 'Switches eventing on in a zone: with an event backend of its own, or through that of another zone.',
  spec: Spec,
  status: s.but(Status, { doc: 'What was made for eventing in the zone, and the addresses of it.' }),
  columns: [
    { name: 'Zone', type: 'string', path: '.spec.zone.name' },
    {
      name: 'Target',
      type: 'string',
      path: '.spec.proxy.targetZone.name',
      priority: 1,
      doc: 'The backend zone of a proxy.',
    },
    { name: 'Full mesh', type: 'boolean', path: '.spec.mesh.fullMesh', priority: 1 },
    { name: 'Publish URL', type: 'string', path: '.status.publishUrl', priority: 1 },
    { name: 'Callback URL', type: 'string', path: '.status.callbackUrl', priority: 1 },
    ...READY_COLUMNS,
  ],
  admit: advise(adviceOnEventConfig),
})
export type EventConfig = ResourceOf<typeof EventConfig>

export function adviceOnEventConfig({ zone, proxy, mesh, local }: Infer<typeof Spec>): readonly string[] {
  const named = mesh?.zoneNames?.length ?? 0
  return [
    ...when(
      sameRef(proxy?.targetZone, zone),
      () => 'spec.proxy.targetZone is the zone itself: name the zone that runs the event backend',
    ),
    ...when(
      mesh?.fullMesh === true && named > 0,
      () =>
        'spec.mesh.zoneNames has no effect while spec.mesh.fullMesh is true: set fullMesh to false, or leave zoneNames out',
    ),
    ...when(
      mesh?.fullMesh === false && named === 0,
      () =>
        'spec.mesh names no zone and fullMesh is false: events stay in this zone; name zones in spec.mesh.zoneNames to share them',
    ),
    ...when(
      mesh?.client?.clientId?.toLowerCase() === 'gateway',
      () => 'spec.mesh.client.clientId "gateway" is reserved for calls between gateways: choose another ID',
    ),
    ...when(
      mesh?.client?.clientId !== undefined && mesh.client.clientId === local?.admin.client?.clientId,
      () =>
        'spec.mesh.client.clientId and spec.local.admin.client.clientId are equal: give the two clients different IDs',
    ),
    ...aboutDuplicates('spec.mesh.zoneNames', mesh?.zoneNames),
  ]
}
