import type { Preset, ZoneSpec, ZoneStatus } from '#domain/kinds/admin/zone.ts'
import { addressOf } from '#domain/topology/address.ts'
import { isLoopback } from '#domain/url.ts'

/** The preset routes use unless something else is asked for (platform §7.2). */
export const defaultPreset = (spec: ZoneSpec): Preset | undefined =>
  spec.gateway.presets.find((p) => p.default === true)

/** The first preset meant for a feature, whatever the case of its name. */
export const presetFor = (spec: ZoneSpec, feature: string): Preset | undefined =>
  spec.gateway.presets.find((p) => p.features?.some((f) => f.enabled && sameWord(f.name, feature)))

/** The address of the gateway as it is advertised: that of the first URL that is not hidden (decisions §8.10). */
export function gatewayUrl(preset: Preset): string | undefined {
  const url = addressOf(preset.urls, '/')?.url
  return url?.endsWith('/') === true ? url.slice(0, -1) : url
}

/** A host nobody else could reach, if the zone names one (§4.2). */
export const loopbackHost = (spec: ZoneSpec): string | undefined =>
  spec.gateway.presets.flatMap((p) => p.urls.map((u) => u.hostname)).find(isLoopback)

export const hasFeature = (status: Partial<ZoneStatus>, feature: string): boolean =>
  status.features?.some((f) => f.enabled && sameWord(f.name, feature)) === true

const sameWord = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
