import { environmentOf, keyOf } from '#domain/environment.ts'
import { Zone, type ZoneSpec, type ZoneStatus } from '#domain/kinds/admin/zone.ts'
import type { Resource } from '#domain/object.ts'
import { trimEnd } from '#domain/trim.ts'
import { joinUrl, parseUrl } from '#domain/url.ts'
import { defaultPreset, gatewayUrl } from './zone-presets.ts'
import { lmsPrefix } from './zone-issuers.ts'
import { byAge, defineIndex, indexKey, type View, type World } from './world.ts'

type ZoneView = View<ZoneSpec, ZoneStatus>

/** One text for all ways to write an address: in which case, with the port of the scheme, with slashes too many. */
function plain(url: string): string {
  const parts = parseUrl(url)
  if (parts === undefined) return trimEnd(url, '/').toLowerCase()
  const { scheme, hostname, port, path } = parts
  const own = port === (scheme === 'https' ? 443 : 80)
  return joinUrl(`${scheme}://${hostname}${own ? '' : `:${port}`}`, path).toLowerCase()
}

/** What only one zone of an environment can have: its name and the addresses its issuers begin with (decisions §6.6). */
function claims(spec: ZoneSpec, name: string): readonly string[] {
  const preset = defaultPreset(spec)
  const gateway = preset === undefined ? undefined : gatewayUrl(preset)
  return [
    `the name ${name}`,
    ...(spec.identityProvider?.url === undefined ? [] : [`the issuer address ${plain(spec.identityProvider.url)}`]),
    ...(gateway === undefined ? [] : [`the issuer address ${plain(gateway + lmsPrefix(spec))}`]),
  ]
}

const zonesByClaim = defineIndex<ZoneSpec, ZoneStatus>({
  name: 'zonesByClaim',
  kind: Zone,
  keys: (o: Resource<ZoneSpec, ZoneStatus>) => {
    const environment = environmentOf(o.metadata.namespace ?? '', o.metadata.labels)
    return claims(o.spec, o.metadata.name).map((claim) => indexKey(environment, claim))
  },
})

/** Why the zone cannot be distinguished from an older one, in words; undefined when it can (decisions §8.17). */
export function rivalry(world: World, self: ZoneView, environment: string): string | undefined {
  const own = claims(self.spec, self.name)
  const twice = own.find((claim, i) => own.indexOf(claim) !== i)
  if (twice !== undefined) {
    return `identityProvider.url and the gateway have the same address, so their issuers would be the same; give the provider another url`
  }
  for (const claim of own) {
    const first = world
      .list(zonesByClaim, indexKey(environment, claim))
      .filter((z) => !z.deleting)
      .toSorted(byAge)[0]
    if (first === undefined || first.uid === self.uid) continue
    return `Zone ${keyOf(first)} is older and already has ${claim}; give one of them another, so that their issuers differ`
  }
  return undefined
}
