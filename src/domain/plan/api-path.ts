import { isReservedRoute, isResourceName, nameValue } from '#domain/names.ts'

/**
 * Under which name an API is registered and routed. Base paths that share it cannot be told apart on a gateway, so one of
 * them counts (platform §3.2).
 */
export const apiName = (basePath: string): string => nameValue(basePath)

/** What only the platform serves: event routes (decisions §4.12) and the issuers of gateways. */
const RESERVED_PATH = /^\/(eventbackend(-[^/]*)?|(spacegate\/)?auth\/realms)(\/|$)/

/** Why no API can have this base path, in words; undefined when one can. */
export function basePathProblem(basePath: string): string | undefined {
  const name = apiName(basePath)
  const said = `The base path "${basePath}"`
  if (!isResourceName(name)) return `${said} makes no name: use letters, digits, hyphens and dots between its slashes`
  if (isReservedRoute(name) || RESERVED_PATH.test(basePath.toLowerCase().replace(/\/{2,}/g, '/')))
    return `${said} is reserved for routes of the platform: choose another base path`
  return undefined
}
