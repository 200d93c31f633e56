import { supports, type Member } from './mesh.ts'

/** Where a backend enters to reach a subscriber (§6.2.8): in the EventConfig's own zone, and in other zones by name. */
export interface Ingress {
  /** Empty when there is none. */
  readonly callbackUrl: string
  readonly proxyCallbackUrls: Readonly<Record<string, string>>
}

export const NO_INGRESS: Ingress = { callbackUrl: '', proxyCallbackUrls: {} }

export interface Projection {
  readonly proxy: Pick<Member, 'zone' | 'mesh'>
  readonly backend: Pick<Member, 'zone' | 'mesh'>
  readonly ingress: Ingress
  /** Every zone that has an EventConfig. */
  readonly zones: readonly string[]
}

/**
 * §6.2.5: a proxy EventConfig shows the ingress URLs of its backend, as far as both meshes allow. Only URLs are
 * copied, and what is missing stays missing (§6.2.6).
 */
export function projectIngress(p: Projection): Ingress {
  const urls = p.zones
    .filter((zone) => zone !== p.proxy.zone && supports(p.proxy, zone))
    .map((zone) => [zone, ingressAt(p, zone)] as const)
    .filter(([, url]) => url !== '')
  return { callbackUrl: ingressAt(p, p.proxy.zone), proxyCallbackUrls: Object.fromEntries(urls) }
}

function ingressAt({ backend, ingress }: Projection, zone: string): string {
  if (zone === backend.zone) return ingress.callbackUrl
  return supports(backend, zone) ? urlFor(ingress.proxyCallbackUrls, zone) : ''
}

/** §6.2.4: which URL of the exposure's EventConfig a subscriber's callbacks enter by; empty when there is none. */
export function ingressFor(ingress: Ingress, sameZone: boolean, zone: string): string {
  return sameZone ? ingress.callbackUrl : urlFor(ingress.proxyCallbackUrls, zone)
}

const urlFor = (urls: Readonly<Record<string, string>>, zone: string): string =>
  Object.hasOwn(urls, zone) ? (urls[zone] ?? '') : ''

export const CALLBACK_PARAMETER = 'callback'

/** §4.2: the ingress with the subscriber's address, encoded so that it arrives as it was given (decisions §4.9). */
export function effectiveCallback(ingressUrl: string, subscriberUrl: string): string {
  return `${ingressUrl}?${CALLBACK_PARAMETER}=${encodeURIComponent(subscriberUrl.toWellFormed())}`
}
