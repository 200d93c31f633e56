import { environmentOf, zoneNamespace } from '#domain/environment.ts'
import type { SpecOf, StatusOf } from '#domain/kind.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { compareText, type ObjectRef, refTo, type Resource } from '#domain/object.ts'
import { meshOf, type Member } from '#domain/topology/mesh.ts'
import {
  callbackReceivers,
  callbackSenders,
  publishSenders,
  replayReceivers,
  replaySenders,
} from '#domain/topology/peers.ts'
import { defineAggregate, defineIndex, indexKey, oldest, type View, type World } from './world.ts'
import { linksOf, NO_LINKS, type ZoneLinks } from './zone-links.ts'

export type EventConfigSpec = SpecOf<typeof EventConfig>
export type EventConfigStatus = StatusOf<typeof EventConfig>
type ConfigView = View<EventConfigSpec, EventConfigStatus>

const environmentOfResource = (r: Resource<any, any>): string =>
  environmentOf(r.metadata.namespace ?? '', r.metadata.labels)

/** Only in its zone's namespace is an EventConfig the zone's EventConfig (decisions §7.4, §8.3). */
function zoneKeys(config: Resource<EventConfigSpec, EventConfigStatus>): readonly string[] {
  const environment = environmentOfResource(config)
  const { name } = config.spec.zone
  return config.metadata.namespace === zoneNamespace(environment, name) ? [indexKey(environment, name)] : []
}

export const configsByZone = defineIndex<EventConfigSpec, EventConfigStatus>({
  name: 'eventConfigsByZone',
  kind: EventConfig,
  keys: zoneKeys,
})

/** The zones of an environment that have an EventConfig. */
export const eventZones = defineAggregate<EventConfigSpec, EventConfigStatus>({
  name: 'eventZones',
  kind: EventConfig,
  entries: (config) =>
    config.metadata.deletionTimestamp !== undefined || zoneKeys(config).length === 0
      ? []
      : [{ key: environmentOfResource(config), value: config.spec.zone.name }],
})

/** The EventConfig in force for a zone: the oldest that is not being deleted (decisions §8.18). */
export function configOfZone(world: World, environment: string, zone: string): ConfigView | undefined {
  return oldest(world.list(configsByZone, indexKey(environment, zone)).filter((config) => !config.deleting))
}

/** Its name; what else is needed of it is read from the object itself, part by part. */
export function configRef(world: World, environment: string, zone: string): ObjectRef | undefined {
  const config = configOfZone(world, environment, zone)
  return config && refTo(config)
}

export const configAt = (world: World, environment: string, zone: string): ConfigView | undefined => {
  const ref = world.derive(configRef, environment, zone)
  return ref && world.get(EventConfig, ref)
}

/** What other zones know of a zone: only what its spec says, so that statuses never chase each other (decisions §4.3). */
export function memberOf(world: World, environment: string, zone: string): Member | undefined {
  const spec = configAt(world, environment, zone)?.spec
  if (spec === undefined) return undefined
  return {
    zone,
    target: spec.proxy?.targetZone.name,
    mesh: meshOf(spec.mesh),
    replay: (spec.local?.voyagerApiUrl ?? '') !== '',
  }
}

/** Every zone that takes part in eventing, by name. */
export function members(world: World, environment: string): readonly Member[] {
  return world
    .values(eventZones, environment)
    .map((zone) => world.derive(memberOf, environment, zone))
    .filter((member) => member !== undefined)
}

/** The zones a zone receives from and sends to, per family of routes. */
export interface Hops {
  readonly callbackFrom: readonly string[]
  readonly callbackTo: readonly string[]
  readonly publishFrom: readonly string[]
  readonly replayFrom: readonly string[]
  readonly replayTo: readonly string[]
}

/** A change of one mesh makes only those zones plan again whose hops it changes. */
export function hopsOf(world: World, environment: string, zone: string): Hops {
  const all = world.derive(members, environment)
  const self = all.find((member) => member.zone === zone)
  return {
    callbackFrom: callbackSenders(zone, all),
    callbackTo: self === undefined ? [] : callbackReceivers(self, all),
    publishFrom: publishSenders(zone, all),
    replayFrom: replaySenders(zone, all),
    replayTo: self === undefined ? [] : replayReceivers(self, all),
  }
}

/** The names of all zones that take part in eventing. */
export const zonesOf = (world: World, environment: string): readonly string[] =>
  world.values(eventZones, environment).toSorted(compareText)

/** The links of the zone an EventConfig configures. */
export function linksOfPeer(world: World, environment: string, zone: string): ZoneLinks {
  const ref = configAt(world, environment, zone)?.spec.zone
  return ref === undefined ? NO_LINKS : world.derive(linksOf, environment, ref.namespace, ref.name)
}

/** The LMS issuers of all zones that have said theirs. */
export function knownLmsIssuers(world: World, environment: string): readonly string[] {
  return world
    .values(eventZones, environment)
    .map((zone) => world.derive(linksOfPeer, environment, zone).lmsIssuer)
    .filter((issuer) => issuer !== undefined)
}
