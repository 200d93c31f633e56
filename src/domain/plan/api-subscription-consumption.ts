import { ConsumeRoute, type ConsumeRouteSpec } from '#domain/kinds/gateway/consume-route.ts'
import { labelValue, nameValue } from '#domain/names.ts'
import { label, type Named, type ObjectRef, refTo } from '#domain/object.ts'
import { apiRouteIn, type ApiOffer, type ApiSubscriptionSpec } from './api-offer.ts'
import type { Scene, Terms } from './api-subscription-checks.ts'
import { type Child, child, type ChildRef, childRef } from './plan.ts'

/** What lets the application call the API: in its zone, and in the zones it fails over to. */
export interface Consumption {
  readonly children: readonly Child[]
  /** Of zones whose route is not there right now. */
  readonly keep: readonly ChildRef[]
  readonly route: ObjectRef | undefined
  readonly consumeRoute: ObjectRef | undefined
  readonly failoverRoutes: readonly ObjectRef[]
  readonly failoverConsumeRoutes: readonly ObjectRef[]
  /** Zones without a route yet. */
  readonly lacking: readonly string[]
}

/** Platform §3.5.3, steps 11 and 12. */
export function consumptionOf(scene: Scene, terms: Terms): Consumption {
  const { spec } = scene
  const zones = [...new Set([spec.zone.name, ...(spec.traffic.failover?.zone ?? []).map((zone) => zone.name)])]
  const [main, ...failover] = zones.map((zone) => consumptionIn(scene, terms, zone))
  const all = [main!, ...failover]
  const failing = failover.filter((c) => c.route !== undefined)
  return {
    children: all.flatMap((c) => c.child ?? []),
    keep: all.filter((c) => c.child === undefined).map((c) => childRef(ConsumeRoute, c.ref)),
    route: main?.route,
    consumeRoute: main?.child && refTo(main.ref),
    failoverRoutes: failing.flatMap((c) => c.route ?? []),
    failoverConsumeRoutes: failing.map((c) => refTo(c.ref)),
    lacking: all.filter((c) => c.route === undefined).map((c) => c.zone),
  }
}

interface InZone {
  readonly zone: string
  readonly ref: Named
  readonly route: ObjectRef | undefined
  readonly child: Child | undefined
}

function consumptionIn(scene: Scene, { offer, requestor }: Terms, zone: string): InZone {
  const { self, spec, world, environment } = scene
  const own = zone === spec.zone.name
  const ref = { namespace: self.namespace, name: nameValue(`${zone}--${self.name}`) }
  const route = world.derive(apiRouteIn, environment, spec.apiBasePath, zone)
  if (route === undefined) return { zone, ref, route, child: undefined }
  const security = securityOf(spec)
  const limits = own ? limitsOf(offer, requestor.clientId) : undefined
  const consume: ConsumeRouteSpec = {
    route,
    consumerName: requestor.clientId,
    ...(security && { security: { m2m: security } }),
    ...(limits && { traffic: { rateLimit: { limits } } }),
  }
  const labels = {
    ...self.labels,
    [label('basepath')]: labelValue(spec.apiBasePath),
    [label('zone')]: labelValue(zone),
    [label('application')]: labelValue(spec.requestor.application.name),
    ...(own ? {} : { [label('failover')]: 'true' }),
  }
  return { zone, ref, route, child: child(ConsumeRoute, { ...ref, labels, spec: consume }) }
}

/** Human-to-machine has no effect on calls between machines (platform D-3). */
function securityOf({ security }: ApiSubscriptionSpec): NonNullable<ConsumeRouteSpec['security']>['m2m'] {
  const { basic, client, scopes } = security?.m2m ?? {}
  if (basic === undefined && client === undefined && scopes === undefined) return undefined
  return { ...(basic && { basic }), ...(client && { client }), ...(scopes && { scopes: [...new Set(scopes)] }) }
}

function limitsOf({ limits }: ApiOffer, clientId: string) {
  return limits?.overrides?.find((o) => o.subscriber === clientId)?.limits ?? limits?.default?.limits
}
