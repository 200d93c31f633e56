import { keyOf } from '#domain/environment.ts'
import { Gateway } from '#domain/kinds/gateway/gateway.ts'
import type { RouteSpec, RouteStatus } from '#domain/kinds/gateway/route.ts'
import { provisioned, waiting, type Planner } from './plan.ts'

/** A route is configured as soon as its gateway is there (platform §5.3); who serves it reads it from here. Consumers are not kept on it (decisions §4.13). */
export const planRoute: Planner<RouteSpec, RouteStatus> = (self, world) => {
  const { gatewayRef, passThrough, security } = self.spec
  if (passThrough !== true && (security?.trustedIssuers ?? []).length === 0) {
    const message = 'No issuer is trusted, so nobody could call the route; name a trusted issuer or set passThrough'
    return waiting('ValidationFailed', message, { status: {} })
  }
  const gateway = world.get(Gateway, gatewayRef)
  const at = keyOf(gatewayRef)
  if (gateway === undefined) {
    return waiting('PreconditionNotMet', `Gateway ${at} does not exist; create its Zone`, { status: {} })
  }
  if (!gateway.ready) {
    return waiting('PreconditionNotMet', `Gateway ${at} is not ready; see its conditions`, { status: {} })
  }
  return provisioned({ status: {}, reason: 'RouteProcessed', message: 'The route is configured' })
}
