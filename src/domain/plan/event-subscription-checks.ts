import { keyOf, zoneNamespace } from '#domain/environment.ts'
import { unknownScopes } from '#domain/filters/publisher-trigger.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { sameRef } from '#domain/object.ts'
import type { EventSubscriptionSpec, EventSubscriptionStatus, Offer } from './event-offer.ts'
import { offerIsUsable, offerOf } from './event-offer.ts'
import { type Party, party } from './party.ts'
import { callbackIngress, configIsUsable, configState, meshAllows, zoneIsUsable, zoneState } from './event-reach.ts'
import { elderTwin } from './event-subscription-twins.ts'
import { typeInForce } from './event-type.ts'
import { absent } from './of-environment.ts'
import { isObstacle, notReady, obstacle, type Obstacle, type Stage, unmet } from './obstacle.ts'
import type { View, World } from './world.ts'

export interface Scene {
  readonly self: View<EventSubscriptionSpec, EventSubscriptionStatus>
  readonly world: World
  readonly environment: string
  /** Whether it is provisioned already. */
  readonly stage: Stage
}

/** Everything a subscription needs to be asked for and provisioned. */
export interface Terms {
  readonly offer: Offer
  readonly requestor: Party
  readonly provider: Party
  /** Where callbacks enter; undefined for streams. */
  readonly ingress: string | undefined
}

/** Why it cannot go on. `ends`: a decision that ends delivery; otherwise what runs stays (§3). */
export interface Stop extends Obstacle {
  readonly ends?: boolean
}

type Check = (scene: Scene, offer: Offer) => Stop | undefined

/** The order is the rule (event-domain §7.2): a revocation must not wait for anything to be ready. */
const CHECKS: readonly Check[] = [
  checkActive,
  checkRevocation,
  checkExposure,
  checkZone,
  checkVisibility,
  checkScopes,
  checkExposureConfig,
  checkMesh,
  checkOwnConfig,
  checkCallback,
]

export function termsOf(scene: Scene): Terms | Stop {
  const { self, world, environment } = scene
  const { eventType, delivery } = self.spec
  const twin = elderTwin(self, world, environment)
  if (twin !== undefined) return { ...twin, ends: true }
  if (world.derive(typeInForce, environment, eventType) === undefined)
    return unmet(`No EventType registers "${eventType}": create one`)
  const offer = world.derive(offerOf, environment, eventType)
  if (offer === undefined)
    return { ...unmet(`No EventExposure offers "${eventType}": ask its owner to expose it`), ends: true }
  for (const check of CHECKS) {
    const stop = check(scene, offer)
    if (stop !== undefined) return stop
  }
  const requestor = party(world, environment, 'requestor', self.spec.requestor)
  if (isObstacle(requestor)) return requestor
  const provider = party(world, environment, 'provider', offer.provider)
  if (isObstacle(provider)) return provider
  return { offer, requestor, provider, ingress: delivery.type === 'Callback' ? ingressOf(scene, offer) : undefined }
}

function checkActive(_scene: Scene, { active, ref }: Offer): Stop | undefined {
  return active ? undefined : unmet(`EventExposure ${keyOf(ref)} is not active yet: see its conditions`)
}

/** §3: the exposure's mesh explicitly excludes the subscriber's zone. */
function checkRevocation({ self, world, environment }: Scene, { zone }: Offer): Stop | undefined {
  const { delivery, zone: own } = self.spec
  if (delivery.type !== 'Callback') return undefined
  if (world.derive(meshAllows, environment, zone.name, own.name) !== false) return undefined
  return { ...excluded(world, environment, zone.name, own.name), ends: true }
}

function excluded(world: World, environment: string, zone: string, other: string): Stop {
  const config = world.derive(configState, environment, zone)
  const name = config === undefined ? zone : keyOf(config.ref)
  return unmet(`The mesh of EventConfig ${name} excludes zone ${other}: add it to spec.mesh.zoneNames`)
}

function checkExposure({ self, world, environment, stage }: Scene, { ref }: Offer): Stop | undefined {
  const usable = world.derive(offerIsUsable, environment, self.spec.eventType, stage)
  return usable ? undefined : notReady('EventExposure', ref)
}

function checkZone({ self, world, environment, stage }: Scene): Stop | undefined {
  const { zone } = self.spec
  const state = world.derive(zoneState, environment, zone.namespace, zone.name)
  if (state === undefined)
    return absent(world, environment, { kind: Zone, ref: zone, field: 'spec.zone' }, 'create it or correct spec.zone')
  return world.derive(zoneIsUsable, environment, keyOf(zone), stage) ? undefined : notReady('Zone', zone)
}

/** Event-domain §6.4 */
function checkVisibility({ self, world, environment }: Scene, { visibility, zone, ref }: Offer): Stop | undefined {
  const own = self.spec.zone
  if (visibility === 'World') return undefined
  const state = world.derive(zoneState, environment, own.namespace, own.name)
  if (visibility === 'Zone' ? sameRef(own, zone) : state?.visibility === 'Enterprise') return undefined
  const message = `EventExposure ${keyOf(ref)} is visible in ${visibility === 'Zone' ? `zone ${zone.name}` : 'Enterprise zones'} only: subscribe there or ask its owner for another visibility`
  return obstacle('AccessDenied', message)
}

function checkScopes({ self }: Scene, { scopes, ref }: Offer): Stop | undefined {
  const unknown = unknownScopes(scopes, self.spec.scopes ?? [])
  if (unknown.length === 0) return undefined
  const names = unknown.map((name) => `"${name}"`).join(', ')
  return obstacle('AccessDenied', `EventExposure ${keyOf(ref)} has no scope ${names}: correct spec.scopes`)
}

function checkExposureConfig(scene: Scene, { zone }: Offer): Stop | undefined {
  return checkConfig(scene, zone.name)
}

function checkOwnConfig(scene: Scene): Stop | undefined {
  return checkConfig(scene, scene.self.spec.zone.name)
}

function checkConfig({ world, environment, stage }: Scene, zone: string): Stop | undefined {
  const config = world.derive(configState, environment, zone)
  if (config === undefined)
    return unmet(`Zone ${zone} has no EventConfig: create one in namespace ${zoneNamespace(environment, zone)}`)
  return world.derive(configIsUsable, environment, zone, stage) ? undefined : notReady('EventConfig', config.ref)
}

/** For streams; callbacks were checked before. */
function checkMesh({ self, world, environment }: Scene, { zone }: Offer): Stop | undefined {
  const own = self.spec.zone
  const allowed = world.derive(meshAllows, environment, zone.name, own.name) !== false
  return allowed ? undefined : excluded(world, environment, zone.name, own.name)
}

/** §6.1, §6.2.6 */
function checkCallback(scene: Scene, offer: Offer): Stop | undefined {
  const { self, world, environment } = scene
  const { delivery, zone } = self.spec
  if (delivery.type !== 'Callback') return undefined
  if (!delivery.callback)
    return obstacle(
      'ValidationFailed',
      'No callback address is given: set spec.delivery.callback or deliver as ServerSentEvent',
    )
  const config = world.derive(configState, environment, zone.name)
  if (config?.hasCallbackRoute === false) return unmet(`EventConfig ${keyOf(config.ref)} has no callback route yet`)
  if (ingressOf(scene, offer) !== '') return undefined
  const via = world.derive(configState, environment, offer.zone.name)
  return unmet(
    `EventConfig ${via === undefined ? offer.zone.name : keyOf(via.ref)} has no callback URL for zone ${zone.name}: let the mesh of its backend include that zone`,
  )
}

function ingressOf({ self, world, environment }: Scene, { zone }: Offer): string {
  const own = self.spec.zone
  if (own.name === zone.name && own.namespace !== zone.namespace) return ''
  return world.derive(callbackIngress, environment, zone.name, own.name)
}
