import { Route } from '#domain/kinds/gateway/route.ts'
import { type ObjectRef } from '#domain/object.ts'
import { addressOf } from '#domain/topology/address.ts'
import { eventRoute, type Host, type RouteRole } from '#domain/topology/event-route.ts'
import { type Sender, trustedIssuers, trustedIssuersKeeping } from '#domain/topology/trust.ts'
import type { Ground } from './event-config-ground.ts'
import { part, type Part } from './event-config-part.ts'
import { configAt, knownLmsIssuers, linksOfPeer } from './event-zones.ts'
import { zoneProblem } from './zone-links.ts'
import { childRef } from './plan.ts'

interface ProxyRoute {
  readonly name: string
  readonly role: RouteRole
  readonly paths: readonly string[]
  readonly checkConsumers: boolean
  readonly consumers: readonly string[]
}

/** A PROXY route: local callers only, so it trusts the local issuer alone (§5.2.2–4). Left as it is while the peer is unknown. */
export function proxyTo(ground: Ground, zone: string, path: string, route: ProxyRoute): Part {
  const { host, world, environment } = ground
  const address = addressOf(world.derive(linksOfPeer, environment, zone).urls, path)
  if (address === undefined) {
    const kept = { namespace: host.namespace, name: route.name }
    return part({ keep: [childRef(Route, kept)], notes: problemOf(ground, zone) })
  }
  const { upstream } = address
  const trusted = trustedIssuers(host.issuer, [])
  return part({ children: [eventRoute(host, { ...route, type: 'PROXY', upstream, trustedIssuers: trusted })] })
}

/** Whether there is, or will be, a route to the peer. */
export function isServed({ world, environment, host }: Ground, zone: string, name: string): boolean {
  const known = addressOf(world.derive(linksOfPeer, environment, zone).urls, '/') !== undefined
  return known || world.get(Route, { namespace: host.namespace, name }) !== undefined
}

interface Trust {
  readonly issuers: readonly string[]
  readonly senders: readonly Sender[]
  readonly notes: readonly string[]
}

/** Trust of a PRIMARY route in its senders; what a briefly unknown one had stays (decisions §4.3). */
export function trustOf(ground: Ground, ref: ObjectRef, zones: readonly string[]): Trust {
  const { world, environment, host } = ground
  const senders = zones.map((zone) => ({ zone, lmsIssuer: world.derive(linksOfPeer, environment, zone).lmsIssuer }))
  const unknown = senders.filter((sender) => !sender.lmsIssuer)
  if (unknown.length === 0) return { issuers: trustedIssuers(host.issuer, senders), senders, notes: [] }
  const last = world.get(Route, ref)?.spec.security?.trustedIssuers ?? []
  const known = world.derive(knownLmsIssuers, environment)
  return {
    issuers: trustedIssuersKeeping({ own: host.issuer, senders, last, known }),
    senders,
    notes: unknown.flatMap(({ zone }) => problemOf(ground, zone)),
  }
}

function problemOf({ world, environment }: Ground, zone: string): readonly string[] {
  const ref = configAt(world, environment, zone)?.spec.zone
  const problem = ref && world.derive(zoneProblem, environment, ref.namespace, ref.name)
  return problem === undefined ? [] : [problem]
}

export const refsTo = (host: Host, names: readonly string[]): readonly ObjectRef[] =>
  names.toSorted().map((name) => ({ name, namespace: host.namespace }))
