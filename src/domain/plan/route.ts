import { environmentOf, keyOf } from '#domain/environment.ts'
import { Gateway } from '#domain/kinds/gateway/gateway.ts'
import type { RouteSpec, RouteStatus } from '#domain/kinds/gateway/route.ts'
import { astray, ofEnvironment } from './of-environment.ts'
import { provisioned, waiting, type Planner } from './plan.ts'

/** A route is configured as soon as its gateway is there (platform §5.3); who serves it reads it from here. Consumers are not kept on it (decisions §4.13). */
export const planRoute: Planner<RouteSpec, RouteStatus> = (self, world) => {
  const { gatewayRef, passThrough, security } = self.spec
  if (passThrough !== true && (security?.trustedIssuers ?? []).length === 0) {
    const message = 'No issuer is trusted, so nobody could call the route; name a trusted issuer or set passThrough'
    return waiting('ValidationFailed', message, { status: {} })
  }
  const environment = environmentOf(self.namespace, self.labels)
  const gateway = ofEnvironment(world, environment, Gateway, gatewayRef)
  const at = keyOf(gatewayRef)
  if (gateway === undefined) {
    const message =
      astray(world, environment, { kind: Gateway, ref: gatewayRef, field: 'spec.gatewayRef' }) ??
      `Gateway ${at} does not exist; create its Zone`
    return waiting('PreconditionNotMet', message, { status: {} })
  }
  if (!gateway.ready) {
    return waiting('PreconditionNotMet', `Gateway ${at} is not ready; see its conditions`, { status: {} })
  }
  return provisioned({ status: {}, reason: 'RouteProcessed', message: 'The route is configured' })
}
