import type { ZoneSpec } from '#domain/kinds/admin/zone.ts'
import type { ObjectRef } from '#domain/object.ts'
import { refTo } from '#domain/object.ts'
import { ingressFor } from '#domain/topology/callback.ts'
import { supports } from '#domain/topology/mesh.ts'
import { configAt, memberOf } from './event-zones.ts'
import { zoneAt } from './zone-links.ts'
import { isUsable, readinessOf, type Stage } from './obstacle.ts'
import type { World } from './world.ts'

/**
 * What subscriptions ask about zones. Each is derived on its own, so that a change of a mesh or a URL concerns exactly
 * the subscriptions whose answer it changes.
 */

/** Whether the mesh of the zone's EventConfig allows `other`; undefined without an EventConfig. */
export function meshAllows(world: World, environment: string, zone: string, other: string): boolean | undefined {
  const member = world.derive(memberOf, environment, zone)
  return member && supports(member, other)
}

export interface ConfigState {
  readonly ref: ObjectRef
  readonly hasCallbackRoute: boolean
}

export function configState(world: World, environment: string, zone: string): ConfigState | undefined {
  const config = configAt(world, environment, zone)
  if (config === undefined) return undefined
  const hasCallbackRoute = config.status.callbackRoute !== undefined
  return { ref: refTo(config), hasCallbackRoute }
}

/** Apart from the rest and per stage: what stands does not run again for every moment its EventConfig settles. */
export function configIsUsable(world: World, environment: string, zone: string, stage: Stage): boolean {
  const config = configAt(world, environment, zone)
  return config !== undefined && isUsable(readinessOf(config), stage === 'standing')
}

/** §6.2.4: where the backend enters to reach `zone`; always from the exposure's EventConfig. Empty when nowhere. */
export function callbackIngress(world: World, environment: string, exposureZone: string, zone: string): string {
  const status = configAt(world, environment, exposureZone)?.status
  const { callbackUrl = '', proxyCallbackUrls = {} } = status ?? {}
  return ingressFor({ callbackUrl, proxyCallbackUrls }, exposureZone === zone, zone)
}

export interface ZoneState {
  readonly visibility: ZoneSpec['visibility']
}

export function zoneState(world: World, environment: string, namespace: string, name: string): ZoneState | undefined {
  const zone = zoneAt(world, environment, { namespace, name })
  return zone && { visibility: zone.spec.visibility }
}

/** `namespace/name` of the Zone: see `configIsUsable`. */
export function zoneIsUsable(world: World, environment: string, key: string, stage: Stage): boolean {
  const [namespace = '', name = ''] = key.split('/')
  const zone = zoneAt(world, environment, { namespace, name })
  return zone !== undefined && isUsable(readinessOf(zone), stage === 'standing')
}
