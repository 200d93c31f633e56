import type { PresetUrl } from '#domain/kinds/admin/zone.ts'
import type { Upstream } from '#domain/kinds/gateway/route.ts'

const DEFAULT_PORT: Readonly<Record<PresetUrl['scheme'], number>> = { http: 80, https: 443 }

/** One slash between the parts, none at the end. */
export function joinPath(basePath: string, path: string): string {
  const joined = `/${basePath}/${path}`.replace(/\/{2,}/g, '/')
  return joined.length > 1 && joined.endsWith('/') ? joined.slice(0, -1) : joined
}

/** Hosts and paths of a route: all of a preset's addresses, hidden ones too; canonical paths before aliases. */
export function servedOn(
  urls: readonly PresetUrl[],
  paths: readonly string[],
): { readonly hostnames: readonly string[]; readonly paths: readonly string[] } {
  return {
    hostnames: [...new Set(urls.map((url) => url.hostname))],
    paths: [...new Set(paths.flatMap((path) => urls.map((url) => joinPath(url.basePath, path))))],
  }
}

/** Where `path` is reached from outside: at the first address that is not hidden (decisions §8.10). */
export function addressOf(
  urls: readonly PresetUrl[],
  path: string,
): { readonly url: string; readonly upstream: Upstream } | undefined {
  const shown = urls.find((url) => url.hidden !== true)
  if (shown === undefined) return undefined
  const { scheme, hostname } = shown
  const port = shown.port ?? DEFAULT_PORT[scheme]
  const full = joinPath(shown.basePath, path)
  const authority = port === DEFAULT_PORT[scheme] ? hostname : `${hostname}:${port}`
  return { url: `${scheme}://${authority}${full}`, upstream: { scheme, hostname, port, path: full } }
}
