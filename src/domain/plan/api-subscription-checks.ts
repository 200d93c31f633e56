import { type Verdict, verdict } from '#domain/condition.ts'
import { keyOf } from '#domain/environment.ts'
import { Zone } from '#domain/kinds/admin/zone.ts'
import { apiInForce, type RegisteredApi } from './api.ts'
import { categoryObstacle } from './api-category.ts'
import {
  apiOfferOf,
  apiOfferUsable,
  apiZoneOf,
  type ApiOffer,
  type ApiSubscriptionSpec,
  type ApiSubscriptionStatus,
  type Standing,
  zoneKey,
} from './api-offer.ts'
import { apiName, basePathProblem } from './api-path.ts'
import { scopesObstacle } from './api-scopes.ts'
import { type Party, party } from './party.ts'
import { absent, astray } from './of-environment.ts'
import { isObstacle, notReady, obstacle, type Obstacle, unmet } from './obstacle.ts'
import type { View, World } from './world.ts'

export interface Scene {
  readonly self: View<ApiSubscriptionSpec | undefined, ApiSubscriptionStatus>
  readonly spec: ApiSubscriptionSpec
  readonly world: World
  readonly environment: string
  /** Whether it is provisioned already. */
  readonly standing: Standing
}

/** Everything a subscription needs to be asked for and provisioned. */
export interface Terms {
  readonly api: RegisteredApi
  readonly offer: ApiOffer
  readonly requestor: Party
  readonly provider: Party
  readonly verdicts: readonly Verdict[]
}

/** Why it cannot go on. `ends`: there is nothing left to call; otherwise what runs stays (platform §3.5.3). */
export interface Stop extends Obstacle {
  readonly ends: boolean
  readonly verdicts: readonly Verdict[]
}

/** The order is the rule (platform §3.5.3). */
export function termsOf(scene: Scene): Terms | Stop {
  const { spec, world, environment } = scene
  const { apiBasePath } = spec
  const api = registered(apiBasePath, world.derive(apiInForce, environment, apiName(apiBasePath)))
  if (isObstacle(api)) return stop(api, [verdict('ApiExists', false, 'NoApi', api.message)], true)
  const exists = verdict('ApiExists', true, 'ApiExists', `Api ${keyOf(api.ref)} registers the base path`)
  const offer = world.derive(apiOfferOf, environment, apiBasePath)
  if (offer === undefined) {
    const none = unmet(`No ApiExposure offers "${apiBasePath}": ask the owner of Api ${keyOf(api.ref)} to expose it`)
    return stop(none, [exists, verdict('ApiExposureExists', false, 'NoApiExposure', none.message)], true)
  }
  const offered = verdict(
    'ApiExposureExists',
    true,
    'ApiExposureExists',
    `ApiExposure ${keyOf(offer.ref)} offers the API`,
  )
  return agreed(scene, api, offer, [exists, offered])
}

const stop = (why: Obstacle, verdicts: readonly Verdict[], ends = false): Stop => ({ ...why, verdicts, ends })

/** An API that only shares the name is another one, and its routes are not for this subscription. */
function registered(basePath: string, api: RegisteredApi | undefined): RegisteredApi | Obstacle {
  if (api === undefined)
    return unmet(
      basePathProblem(basePath) ?? `No Api registers "${basePath}": ask its owner to create an ApiSpecification`,
    )
  if (api.basePath === basePath) return api
  return unmet(
    `Api ${keyOf(api.ref)} registers "${api.basePath}", not "${basePath}": write spec.apiBasePath exactly so`,
  )
}

function agreed(scene: Scene, api: RegisteredApi, offer: ApiOffer, known: readonly Verdict[]): Terms | Stop {
  const { spec, world, environment, standing } = scene
  if (!world.derive(apiOfferUsable, environment, spec.apiBasePath, standing))
    return stop(notReady('ApiExposure', offer.ref), known)
  const zone = checkZone(scene)
  if (zone !== undefined) return stop(zone, known)
  const hidden = checkVisibility(scene, offer)
  if (hidden !== undefined)
    return stop(hidden, [...known, verdict('VisibilityAllowed', false, 'NotAllowed', hidden.message)])
  const visible = [...known, verdict('VisibilityAllowed', true, 'Allowed', 'The zone may see the API')]
  const requestor = party(world, environment, 'requestor.application', spec.requestor.application)
  if (isObstacle(requestor)) return stop(requestor, visible)
  const category = categoryObstacle(world, environment, api.category, spec.requestor.application.namespace)
  if (category !== undefined) return stop(category, visible)
  const { scopes } = spec.security?.m2m ?? {}
  const unknown = scopesObstacle(api, scopes, 'spec.security.m2m.scopes')
  if (unknown !== undefined)
    return stop(unknown, [...visible, verdict('ScopesAllowed', false, 'NotAllowed', unknown.message)])
  const allowed =
    scopes === undefined ? [] : [verdict('ScopesAllowed', true, 'Allowed', 'The API describes these scopes')]
  const verdicts = [...visible, ...allowed]
  const provider =
    offer.provider === undefined
      ? unmet(`ApiExposure ${keyOf(offer.ref)} names no application: ask its owner to set spec.provider`)
      : party(world, environment, 'provider', offer.provider)
  if (isObstacle(provider)) return stop(provider, verdicts)
  return { api, offer, requestor, provider, verdicts }
}

function checkZone({ spec, world, environment, standing }: Scene): Obstacle | undefined {
  const { zone } = spec
  const state = world.derive(apiZoneOf, environment, zoneKey(zone), standing)
  if (state === undefined)
    return absent(world, environment, { kind: Zone, ref: zone, field: 'spec.zone' }, 'create it or correct spec.zone')
  return state.usable ? checkFailover(spec, world, environment) : notReady('Zone', zone)
}

/** By name alone a zone of another environment would pass for one of this. */
function checkFailover({ traffic }: ApiSubscriptionSpec, world: World, environment: string): Obstacle | undefined {
  const field = 'spec.traffic.failover.zone'
  const [message] = (traffic.failover?.zone ?? []).flatMap(
    (ref) => astray(world, environment, { kind: Zone, ref, field }) ?? [],
  )
  return message === undefined ? undefined : unmet(message)
}

/** Platform §3.5.4 */
function checkVisibility(
  { spec, world, environment, standing }: Scene,
  { visibility, zone, ref }: ApiOffer,
): Obstacle | undefined {
  if (visibility === 'World') return undefined
  const own = world.derive(apiZoneOf, environment, zoneKey(spec.zone), standing)
  const where = visibility === 'Zone' ? `zone ${zone.name}` : 'Enterprise zones'
  if (visibility === 'Zone' ? spec.zone.name === zone.name : own?.visibility === 'Enterprise') return undefined
  return obstacle(
    'AccessDenied',
    `ApiExposure ${keyOf(ref)} is visible in ${where} only: subscribe there or ask its owner for another visibility`,
  )
}
