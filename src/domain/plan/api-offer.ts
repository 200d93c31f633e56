import { environmentOf, zoneNamespace } from '#domain/environment.ts'
import type { SpecOf, StatusOf } from '#domain/kind.ts'
import { ApiExposure, type ApiExposureSpec, type ApiExposureStatus } from '#domain/kinds/api/api-exposure.ts'
import { ApiSubscription } from '#domain/kinds/api/api-subscription.ts'
import { label, type Named, type ObjectRef, refTo, type Resource } from '#domain/object.ts'
import { type Readiness, readinessOf } from './obstacle.ts'
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
  readonly readiness: Readiness
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
    readiness: readinessOf(exposure),
    limits: traffic?.rateLimit?.subscriberRateLimit,
    hasExternalIdp: security?.m2m?.externalIDP !== undefined,
  }
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

/**
 * Approval does not count: a route must not vanish because a subscription asks again (platform §3.4.3). Whether the zone may
 * see the API does, unless the subscription was served already.
 */
const isCounted = ({ metadata, status }: Subscription): boolean =>
  metadata.deletionTimestamp === undefined &&
  (status?.consumeRoute !== undefined ||
    status?.conditions?.some((c) => c.type === 'VisibilityAllowed' && c.status === 'True') === true)

const failoverOf = ({ zone, traffic }: ApiSubscriptionSpec): readonly ObjectRef[] =>
  (traffic.failover?.zone ?? []).filter((z) => z.name !== zone.name)

/** The zones an API is called from, as `namespace|name` of the Zone. */
export const callingZones = defineAggregate<ApiSubscriptionSpec | undefined, ApiSubscriptionStatus>({
  name: 'apiCallingZones',
  kind: ApiSubscription,
  entries: (subscription) => {
    const { spec } = subscription
    if (spec === undefined || (spec.organization ?? '') !== '' || !isCounted(subscription)) return []
    const key = indexKey(environmentOfResource(subscription), spec.apiBasePath)
    return [spec.zone, ...failoverOf(spec)].map((zone) => ({ key, value: indexKey(zone.namespace, zone.name) }))
  },
})

/** Has a value where some subscriber of an API fails over. */
export const failoverCallers = defineAggregate<ApiSubscriptionSpec | undefined, ApiSubscriptionStatus>({
  name: 'apiFailoverCallers',
  kind: ApiSubscription,
  entries: (subscription) => {
    const { spec } = subscription
    if (spec === undefined || (spec.organization ?? '') !== '' || !isCounted(subscription)) return []
    if (failoverOf(spec).length === 0) return []
    return [{ key: indexKey(environmentOfResource(subscription), spec.apiBasePath), value: 'yes' }]
  },
})
