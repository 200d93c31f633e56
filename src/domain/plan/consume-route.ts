import { environmentOf, keyOf } from '#domain/environment.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import type { ConsumeRouteSpec, ConsumeRouteStatus } from '#domain/kinds/gateway/consume-route.ts'
import { astray, ofEnvironment } from './of-environment.ts'
import { provisioned, waiting, type Planner } from './plan.ts'

/** Ready when its Route is (platform §5.4, decisions §4.13). */
export const planConsumeRoute: Planner<ConsumeRouteSpec, ConsumeRouteStatus> = (self, world) => {
  const at = keyOf(self.spec.route)
  const environment = environmentOf(self.namespace, self.labels)
  const route = ofEnvironment(world, environment, Route, self.spec.route)
  if (route === undefined) {
    const message =
      astray(world, environment, { kind: Route, ref: self.spec.route, field: 'spec.route' }) ??
      `Route ${at} does not exist; it appears with the exposure`
    return waiting('RouteNotFound', message, { status: {} })
  }
  if (!route.ready) return waiting('RouteNotReady', `Route ${at} is not ready; see its conditions`, { status: {} })
  const message = `${self.spec.consumerName} may call the route`
  return provisioned({ status: {}, reason: 'ConsumeRouteReady', message })
}
