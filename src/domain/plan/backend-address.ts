import type { Upstream } from '#domain/kinds/gateway/route.ts'
import { baseUrlProblem, parseUrl, shownUrl } from '#domain/url.ts'
import { obstacle, type Obstacle } from './obstacle.ts'

/** Why nothing can be called below an address, although the specification accepts it; `where` names the field. */
export function addressProblem(url: string, where: string): Obstacle | undefined {
  const problem = baseUrlProblem(url)
  if (problem === undefined) return undefined
  return obstacle('ValidationFailed', `The address "${shownUrl(url)}" in ${where} ${problem}`)
}

export function backendUpstream(url: string, where: string): Upstream | Obstacle {
  const problem = addressProblem(url, where)
  if (problem !== undefined) return problem
  const { scheme, hostname, port, path } = parseUrl(url)!
  return { scheme, hostname, port, path }
}
