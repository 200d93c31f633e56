import { zoneNamespace } from '#domain/environment.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import { labelValue, sseRouteName } from '#domain/names.ts'
import { byNamespaceAndName, label, type Named, type ObjectRef, refTo } from '#domain/object.ts'
import { addressOf } from '#domain/topology/address.ts'
import { type EventRoute, eventRoute, urlOf } from '#domain/topology/event-route.ts'
import { ssePath } from '#domain/topology/paths.ts'
import { GATEWAY_CONSUMER, trustedIssuers, trustedIssuersKeeping } from '#domain/topology/trust.ts'
import type { EventExposureSpec, EventExposureStatus } from './event-offer.ts'
import { hostOf, listenersOf, type StreamBackend, streamBackendOf } from './event-sse-zones.ts'
import { knownLmsIssuers } from './event-zones.ts'
import { linksOf, zoneProblem } from './zone-links.ts'
import { isObstacle, type Obstacle } from './obstacle.ts'
import { type Child, type ChildRef, childRef } from './plan.ts'
import type { View, World } from './world.ts'

export interface Streams {
  readonly children: readonly Child[]
  readonly keep: readonly ChildRef[]
  readonly status: Pick<EventExposureStatus, 'route' | 'proxyRoutes' | 'sseUrls'>
  /** What is amiss in other zones and does not stop the rest. */
  readonly notes: readonly string[]
}

interface Scene {
  readonly self: View<EventExposureSpec, EventExposureStatus>
  readonly world: World
  readonly environment: string
  readonly backend: StreamBackend
}

/** The stream of one zone other than the backend's. `child` is undefined while the zone does not say all that is needed. */
interface Relay {
  readonly zone: ObjectRef
  readonly ref: Named
  readonly lmsIssuer: string | undefined
  readonly child: Child | undefined
  readonly url: string | undefined
}

/** §4.3, §5.2.8, §6.2.3: a PRIMARY at the backend, a PROXY in every other zone that listens. */
export function planStreams(self: Scene['self'], world: World, environment: string): Streams | Obstacle {
  const backend = streamBackendOf(self, world, environment)
  if (isObstacle(backend)) return backend
  const scene = { self, world, environment, backend }
  const relays = listenersOf(self, world, environment, backend.zone).map((zone) => relayIn(scene, zone))
  const primary = primaryOf(scene, relays)
  const served = relays.filter((relay) => relay.url !== undefined)
  const here = urlOf(backend.host, ssePath(self.spec.eventType))
  return {
    children: [primary, ...relays.flatMap((relay) => relay.child ?? [])],
    keep: relays.filter((relay) => relay.child === undefined).map((relay) => childRef(Route, relay.ref)),
    status: {
      route: refTo(primary),
      proxyRoutes: served.map((relay) => refTo(relay.ref)).toSorted(byNamespaceAndName),
      sseUrls: Object.fromEntries([[backend.zone.name, here], ...served.map((relay) => [relay.zone.name, relay.url])]),
    },
    notes: relays
      .filter((relay) => relay.child === undefined || !relay.lmsIssuer)
      .flatMap((relay) => problemOf(scene, relay.zone)),
  }
}

function problemOf({ world, environment }: Scene, zone: Named): readonly string[] {
  const problem = world.derive(zoneProblem, environment, zone.namespace, zone.name)
  return problem === undefined ? [] : [problem]
}

function relayIn({ self, world, environment, backend }: Scene, zone: ObjectRef): Relay {
  const { eventType } = self.spec
  const path = ssePath(eventType)
  const ref = { namespace: zoneNamespace(environment, zone.name), name: sseRouteName(eventType) }
  const { lmsIssuer } = world.derive(linksOf, environment, zone.namespace, zone.name)
  const host = world.derive(hostOf, environment, zone.namespace, zone.name)
  const upstream = addressOf(backend.host.urls, path)?.upstream
  if (host === undefined || upstream === undefined) {
    const standing = world.get(Route, ref) !== undefined
    return { zone, ref, lmsIssuer, child: undefined, url: standing ? self.status.sseUrls?.[zone.name] : undefined }
  }
  const trusted = trustedIssuers(host.issuer, [])
  const route = { ...streamOf(eventType), role: 'sse-proxy', type: 'PROXY', upstream, consumers: [] } as const
  const child = eventRoute(host, { ...route, trustedIssuers: trusted })
  return { zone, ref, lmsIssuer, child, url: urlOf(host, path) }
}

function primaryOf(scene: Scene, relays: readonly Relay[]): Child {
  const { self, backend } = scene
  const { host, upstream } = backend
  const route = { ...streamOf(self.spec.eventType), role: 'sse', type: 'PRIMARY', upstream } as const
  const consumers = relays.length > 0 ? [GATEWAY_CONSUMER] : []
  return eventRoute(host, { ...route, consumers, trustedIssuers: trustOf(scene, relays) })
}

/** What the stream of a briefly unknown zone had stays (decisions §4.3). */
function trustOf({ self, world, environment, backend }: Scene, relays: readonly Relay[]): readonly string[] {
  const { issuer: own, namespace } = backend.host
  const senders = relays.map(({ zone, lmsIssuer }) => ({ zone: zone.name, lmsIssuer }))
  if (senders.every((sender) => sender.lmsIssuer)) return trustedIssuers(own, senders)
  const route = world.get(Route, { namespace, name: sseRouteName(self.spec.eventType) })
  const last = route?.spec.security?.trustedIssuers ?? []
  return trustedIssuersKeeping({ own, senders, last, known: world.derive(knownLmsIssuers, environment) })
}

const streamOf = (type: string): Pick<EventRoute, 'name' | 'paths' | 'checkConsumers' | 'streaming' | 'labels'> => ({
  name: sseRouteName(type),
  paths: [ssePath(type)],
  checkConsumers: false,
  streaming: true,
  labels: { [label('eventtype')]: labelValue(type) },
})
