import { environmentOf, keyOf, zoneNamespace } from '#domain/environment.ts'
import type { SpecOf, StatusOf } from '#domain/kind.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { quote } from '#domain/kinds/advice.ts'
import { EventConfig } from '#domain/kinds/event/event-config.ts'
import { isReservedClientId, isResourceName, nameValue } from '#domain/names.ts'
import { addressOf } from '#domain/topology/address.ts'
import type { Host } from '#domain/topology/event-route.ts'
import { configAt, configRef, type EventConfigSpec, type EventConfigStatus } from './event-zones.ts'
import { linksOf, zoneAt } from './zone-links.ts'
import { absent } from './of-environment.ts'
import { isObstacle, isUsable, missing, notReady, obstacle, type Obstacle, readinessOf, unmet } from './obstacle.ts'
import type { View, World } from './world.ts'

type ConfigView = View<EventConfigSpec, EventConfigStatus>
type ZoneView = View<SpecOf<typeof Zone>, StatusOf<typeof Zone>>

/** What an EventConfig stands on once nothing fundamental is in its way. */
export interface Ground {
  readonly self: ConfigView
  readonly world: World
  readonly environment: string
  readonly zone: ZoneView
  readonly host: Host
  /** The callback identity (§5.2.10). */
  readonly clientId: string
  /** Of a proxy EventConfig: its ready local backend, or why there is none. */
  readonly target: Target | Obstacle | undefined
}

export interface Target {
  readonly zone: string
  readonly config: ConfigView
}

/** §15: the callback client's ID unless the mesh names one. */
export const CALLBACK_CLIENT = 'eventstore'
export const ADMIN_CLIENT = 'eventbackend-admin'

export const callbackClientId = (spec: EventConfigSpec): string => spec.mesh?.client?.clientId || CALLBACK_CLIENT
export const adminClientId = (spec: EventConfigSpec): string => spec.local?.admin.client?.clientId || ADMIN_CLIENT

export function groundOf(self: ConfigView, world: World, environment: string): Ground | Obstacle {
  const zone = placed(self, world, environment)
  if (isObstacle(zone)) return zone
  const host = hostOf(self, world, environment, zone)
  if (isObstacle(host)) return host
  const clientId = callbackClientId(self.spec)
  return (
    idProblem(self.spec, clientId) ?? {
      self,
      world,
      environment,
      zone,
      host,
      clientId,
      target: targetOf(self, world, environment),
    }
  )
}

/** The Zone, when this is its EventConfig (decisions §7.4, §8.18). */
function placed(self: ConfigView, world: World, environment: string): ZoneView | Obstacle {
  const ref = self.spec.zone
  const zone = world.get(Zone, ref)
  if (zone === undefined) return missing('Zone', ref, 'create it or correct spec.zone')
  const home = zoneNamespace(environmentOf(zone.namespace, zone.labels), zone.name)
  if (home !== self.namespace)
    return unmet(
      `The EventConfig of Zone ${keyOf(ref)} belongs in namespace ${home}: create it there and delete this one`,
    )

  const inForce = world.derive(configRef, environment, ref.name)
  if (inForce !== undefined && inForce.name !== self.name)
    return unmet(`Zone ${keyOf(ref)} already has EventConfig ${keyOf(inForce)}: delete one of the two`)
  if (!isUsable(readinessOf(zone), self.status.callbackRoute !== undefined)) return notReady('Zone', ref)
  return zone
}

function hostOf(self: ConfigView, world: World, environment: string, zone: ZoneView): Host | Obstacle {
  const { gateway, realmName } = zone.status
  const { issuer, urls } = world.derive(linksOf, environment, zone.namespace, zone.name)
  if (gateway === undefined) return unmet(`Zone ${keyOf(zone)} has no gateway yet: see its conditions`)
  if (issuer === undefined || issuer === '') return unmet(`Zone ${keyOf(zone)} has no issuer yet: see its conditions`)
  if (addressOf(urls, '/') === undefined)
    return unmet(`Zone ${keyOf(zone)} advertises no address: give it a default preset with a URL that is not hidden`)
  return { zone: zone.name, namespace: self.namespace, gateway, realmName: realmName ?? '', issuer, urls }
}

function idProblem(spec: EventConfigSpec, clientId: string): Obstacle | undefined {
  const name = nameValue(clientId)
  const admin = nameValue(adminClientId(spec))
  if (isTooLong(clientId)) return tooLong('spec.mesh')
  if (spec.local !== undefined && isTooLong(adminClientId(spec))) return tooLong('spec.local.admin')
  if (!isResourceName(name)) return noName(clientId, 'spec.mesh')
  if (spec.local !== undefined && !isResourceName(admin)) return noName(adminClientId(spec), 'spec.local.admin')
  if (isReservedClientId(clientId))
    return unmet(
      `The client id "${clientId}" is reserved for calls between gateways: choose another spec.mesh.client.clientId`,
    )
  if (spec.local !== undefined && name === admin)
    return unmet(`The mesh client and the admin client are both called "${name}": give one of them another clientId`)
  return undefined
}

/** Of a Client and a Consumer. */
const LONGEST_ID = 255
const isTooLong = (id: string): boolean => id.length > LONGEST_ID && Array.from(id).length > LONGEST_ID

const tooLong = (field: string): Obstacle =>
  obstacle('ValidationFailed', `${field}.client.clientId has more than ${LONGEST_ID} characters: choose a shorter id`)

const noName = (clientId: string, field: string): Obstacle =>
  obstacle(
    'ValidationFailed',
    `The client id ${quote(clientId)} makes no name: use letters, digits, hyphens and dots in ${field}.client.clientId`,
  )

function targetOf(self: ConfigView, world: World, environment: string): Target | Obstacle | undefined {
  const ref = self.spec.proxy?.targetZone
  if (ref === undefined) return undefined
  const zone = zoneAt(world, environment, ref)
  if (zone === undefined) {
    const wanted = { kind: Zone, ref, field: 'spec.proxy.targetZone' }
    return absent(world, environment, wanted, 'create it or correct spec.proxy.targetZone')
  }
  const config = configAt(world, environment, ref.name)
  if (config === undefined)
    return unmet(
      `Zone ${keyOf(ref)} has no EventConfig: create one in namespace ${zoneNamespace(environment, ref.name)}`,
    )
  if (config.spec.local === undefined)
    return unmet(`EventConfig ${keyOf(config)} is a proxy itself: let spec.proxy.targetZone name a zone with a backend`)
  const standing = self.status.eventStore !== undefined
  if (!isUsable(readinessOf(zone), standing)) return notReady('Zone', ref)
  if (!isUsable(readinessOf(config), standing)) return notReady(EventConfig.kind, config)
  return { zone: ref.name, config }
}
