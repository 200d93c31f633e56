import { environmentOf, zoneNamespace } from '#domain/environment.ts'
import type { SpecOf, StatusOf } from '#domain/kind.ts'
import type { ZoneSpec } from '#domain/kinds/admin/zone.ts'
import { ApiExposure, type ApiExposureSpec, type ApiExposureStatus } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { label, type Named, type ObjectRef, refTo, type Resource } from '#domain/object.ts'
import { apiName } from './api-path.ts'
import { zoneAt } from './zone-links.ts'
import { isUsable, readinessOf } from './obstacle.ts'
import { defineAggregate, defineIndex, indexKey, oldest, type View, type World } from './world.ts'

export type ApiSubscriptionSpec = NonNullable<SpecOf<typeof ApiSubscription>>
export type ApiSubscriptionStatus = StatusOf<typeof ApiSubscription>

const environmentOfResource = (r: Resource<any, any>): string =>
  environmentOf(r.metadata.namespace ?? '', r.metadata.labels)

/** By the exact base path: only with that can an exposure be the one of its Api. */
const exposuresByBasePath = defineIndex<ApiExposureSpec, ApiExposureStatus>({
  name: 'apiExposuresByBasePath',
  kind: ApiExposure,
  keys: (exposure) => [indexKey(environmentOfResource(exposure), exposure.spec.apiBasePath)],
})

/** The exposure in force for a base path: the oldest that is not being deleted (decisions §4.5). */
export function apiExposureInForce(world: World, environment: string, basePath: string): ObjectRef | undefined {
  const exposures = world.list(exposuresByBasePath, indexKey(environment, basePath))
  const exposure = oldest(exposures.filter((e) => !e.deleting))
  return exposure && refTo(exposure)
}

/** The providing application: named in the spec, else by the label (platform §3.4.1). */
export function providerOfExposure(exposure: View<ApiExposureSpec, ApiExposureStatus>): Named | undefined {
  if (exposure.spec.provider !== undefined) return refTo(exposure.spec.provider)
  const name = exposure.labels[label('application')]
  return name === undefined ? undefined : { name, namespace: exposure.namespace }
}

/** What subscribers of an API build on. */
export interface ApiOffer {
  readonly ref: ObjectRef
  readonly zone: ObjectRef
  readonly visibility: ApiExposureSpec['visibility']
  readonly approval: ApiExposureSpec['approval']
  readonly provider: Named | undefined
  readonly limits: NonNullable<NonNullable<ApiExposureSpec['traffic']>['rateLimit']>['subscriberRateLimit']
  readonly hasExternalIdp: boolean
}

export function apiOfferOf(world: World, environment: string, basePath: string): ApiOffer | undefined {
  const ref = world.derive(apiExposureInForce, environment, basePath)
  const exposure = ref && world.get(ApiExposure, ref)
  if (exposure === undefined) return undefined
  const { zone, visibility, approval, traffic, security } = exposure.spec
  return {
    ref: refTo(exposure),
    zone: refTo(zone),
    visibility,
    approval,
    provider: providerOfExposure(exposure),
    limits: traffic?.rateLimit?.subscriberRateLimit,
    hasExternalIdp: security?.m2m?.externalIDP !== undefined,
  }
}

/**
 * Whether a subscription can build on the exposure in force: one that is being provisioned is usable, one that is blocked is
 * not (decisions §4.4). Apart from the offer and by what is asked, so that nobody runs while an answer stays the same.
 */
export function apiOfferUsable(world: World, environment: string, basePath: string, standing: Standing): boolean {
  const ref = world.derive(apiExposureInForce, environment, basePath)
  const exposure = ref && world.get(ApiExposure, ref)
  if (exposure === undefined) return false
  const readiness = readinessOf(exposure)
  return readiness === 'provisioning' || isUsable(readiness, standing === 'standing')
}

/** Whether something was already built. */
export type Standing = 'standing' | 'new'

export const zoneKey = ({ namespace, name }: Named): string => indexKey(namespace, name)

export function parseZoneKey(key: string): ObjectRef {
  const [namespace = '', name = ''] = key.split('|')
  return { name, namespace }
}

/** What a subscription asks about its zone (by `zoneKey`); undefined when there is none. */
export function apiZoneOf(world: World, environment: string, key: string, standing: Standing): CallingZone | undefined {
  const zone = zoneAt(world, environment, parseZoneKey(key))
  return zone && { usable: isUsable(readinessOf(zone), standing === 'standing'), visibility: zone.spec.visibility }
}

interface CallingZone {
  readonly usable: boolean
  readonly visibility: ZoneSpec['visibility']
}

/** The route to an API in a zone. Apart from the offer, so that a new zone does not concern subscribers elsewhere. */
export function apiRouteIn(world: World, environment: string, basePath: string, zone: string): ObjectRef | undefined {
  const ref = world.derive(apiExposureInForce, environment, basePath)
  const status = (ref && world.get(ApiExposure, ref))?.status
  if (status === undefined) return undefined
  const { route, proxyRoutes = [], failoverRoutes = [] } = status
  const namespace = zoneNamespace(environment, zone)
  const found = [...(route ? [route] : []), ...failoverRoutes, ...proxyRoutes].find((r) => r.namespace === namespace)
  return found && refTo(found)
}

type Subscription = Resource<ApiSubscriptionSpec | undefined, ApiSubscriptionStatus>

/** Asks for routes: whether the zone may see the API counts, approval does not (platform §3.4.3). */
const isAdmitted = ({ status }: Subscription): boolean =>
  status?.conditions?.some((c) => c.type === 'VisibilityAllowed' && c.status === 'True') === true

const isLocal = ({ metadata, spec }: Subscription): boolean =>
  metadata.deletionTimestamp === undefined && (spec?.organization ?? '') === ''

const failoverOf = (spec: ApiSubscriptionSpec | undefined): readonly ObjectRef[] =>
  (spec?.traffic.failover?.zone ?? []).filter((zone) => zone.name !== spec?.zone.name)

/**
 * The zones an API is called from, as `namespace|name` of the Zone: those subscriptions ask for, and those they are served in,
 * so that a subscription that asks for something else now does not lose what it has before that is decided.
 */
export const callingZones = defineAggregate<ApiSubscriptionSpec | undefined, ApiSubscriptionStatus>({
  name: 'apiCallingZones',
  kind: ApiSubscription,
  entries: (subscription) => {
    if (!isLocal(subscription)) return []
    const { spec, status } = subscription
    const environment = environmentOfResource(subscription)
    const asked = spec === undefined || !isAdmitted(subscription) ? [] : [spec.zone, ...failoverOf(spec)]
    const served = [...(status?.route ? [status.route] : []), ...(status?.failoverRoutes ?? [])]
    return [
      ...asked.map((zone) => ({
        key: indexKey(environment, apiName(spec?.apiBasePath ?? '')),
        value: zoneKey(zone),
      })),
      ...served
        .filter((route) => route.namespace.startsWith(`${environment}--`))
        .map((route) => ({
          key: indexKey(environment, route.name),
          value: indexKey(environment, route.namespace.slice(environment.length + 2)),
        })),
    ]
  },
})

/** Has a value where some subscriber of an API fails over. */
export const failoverCallers = defineAggregate<ApiSubscriptionSpec | undefined, ApiSubscriptionStatus>({
  name: 'apiFailoverCallers',
  kind: ApiSubscription,
  entries: (subscription) => {
    if (!isLocal(subscription)) return []
    const { spec, status } = subscription
    const environment = environmentOfResource(subscription)
    const asked = isAdmitted(subscription) && failoverOf(spec).length > 0 ? [apiName(spec?.apiBasePath ?? '')] : []
    const served = (status?.failoverRoutes ?? []).map((route) => route.name)
    return [...asked, ...served].map((name) => ({ key: indexKey(environment, name), value: 'yes' }))
  },
})
