import { keyOf } from '#domain/environment.ts'
import type { RegisteredApi } from './api.ts'
import { obstacle, type Obstacle } from './obstacle.ts'

/** Platform §3.4.2 step 5, §3.5.3 step 8: only scopes the API describes can be asked for. */
export function scopesObstacle(
  api: RegisteredApi,
  wanted: readonly string[] | undefined,
  field: string,
): Obstacle | undefined {
  if (wanted === undefined) return undefined
  if (api.scopes.length === 0)
    return obstacle('ValidationFailed', `Api ${keyOf(api.ref)} describes no scopes: leave ${field} out`)
  const unknown = wanted.filter((scope) => !api.scopes.includes(scope))
  if (unknown.length === 0) return undefined
  const quoted = (scopes: readonly string[]): string => scopes.map((scope) => `"${scope}"`).join(', ')
  const message = `Api ${keyOf(api.ref)} has no scope ${quoted(unknown)}, only ${quoted(api.scopes)}: correct ${field}`
  return obstacle('ValidationFailed', message)
}
