import { keyOf } from '#domain/environment.ts'
import type { SpecOf, StatusOf } from '#domain/kind.ts'
import { Zone, type PresetUrl } from '#domain/kinds/admin/zone.ts'
import type { Named } from '#domain/object.ts'
import { ofEnvironment } from './of-environment.ts'
import type { View, World } from './world.ts'

/** How a zone is reached from others: what its Zone says, ready or not (decisions §4.3). */
export interface ZoneLinks {
  readonly issuer: string | undefined
  readonly lmsIssuer: string | undefined
  /** The default preset's addresses; empty while there is none. */
  readonly urls: readonly PresetUrl[]
}

export const NO_LINKS: ZoneLinks = { issuer: undefined, lmsIssuer: undefined, urls: [] }

/** A Zone of this environment; another environment's is as good as none. */
export function zoneAt(
  world: World,
  environment: string,
  ref: Named,
): View<SpecOf<typeof Zone>, StatusOf<typeof Zone>> | undefined {
  return ofEnvironment(world, environment, Zone, ref)
}

export function linksOf(world: World, environment: string, namespace: string, name: string): ZoneLinks {
  const zone = zoneAt(world, environment, { namespace, name })
  if (zone === undefined) return NO_LINKS
  const { gatewayIssuer, gatewayLmsIssuer } = zone.status.links ?? {}
  const preset = zone.spec.gateway.presets.find((p) => p.default === true)
  return { issuer: gatewayIssuer, lmsIssuer: gatewayLmsIssuer, urls: preset?.urls ?? [] }
}

/** What people are told about a zone that lacks links. Nothing while it is so new that nobody has looked at it yet. */
export function zoneProblem(world: World, environment: string, namespace: string, name: string): string | undefined {
  const ref = { namespace, name }
  const zone = zoneAt(world, environment, ref)
  if (zone !== undefined && zone.condition('Ready') === undefined) return undefined
  return `Zone ${keyOf(ref)} has no address or issuer yet, so routes to and from it stay as they were: see its conditions`
}
