import { environmentOf, keyOf } from '#domain/environment.ts'
import { Api, type ApiSpec, type ApiStatus } from '#domain/kinds/api/api.ts'
import { type ObjectRef, refTo } from '#domain/object.ts'
import { apiName, basePathProblem } from './api-path.ts'
import { type Planner, provisioned, waiting } from './plan.ts'
import { defineIndex, indexKey, oldest, type World } from './world.ts'

const apisByName = defineIndex<ApiSpec, ApiStatus>({
  name: 'apisByName',
  kind: Api,
  keys: ({ metadata, spec }) => [
    indexKey(environmentOf(metadata.namespace ?? '', metadata.labels), apiName(spec.basePath)),
  ],
})

/** What exposures and subscriptions build on. */
export interface RegisteredApi {
  readonly ref: ObjectRef
  readonly basePath: string
  readonly category: string
  readonly scopes: readonly string[]
}

/** The Api in force among those that share a name: the oldest that is not being deleted (decisions §4.5). */
export function apiInForce(world: World, environment: string, name: string): RegisteredApi | undefined {
  const apis = world.list(apisByName, indexKey(environment, name)).filter((api) => !api.deleting)
  const api = oldest(apis.filter(({ spec }) => basePathProblem(spec.basePath) === undefined))
  if (api === undefined) return undefined
  const { basePath, category, oauth2Scopes = [] } = api.spec
  return { ref: refTo(api), basePath, category, scopes: oauth2Scopes }
}

/** Platform §3.2: one Api per base path counts. */
export const planApi: Planner<ApiSpec, ApiStatus> = (self, world) => {
  const { basePath } = self.spec
  const problem = basePathProblem(basePath)
  if (problem !== undefined) return waiting('PreconditionNotMet', problem, { status: { active: false } })
  const inForce = world.derive(apiInForce, environmentOf(self.namespace, self.labels), apiName(basePath))
  if (inForce === undefined || keyOf(inForce.ref) === keyOf(self)) return provisioned({ status: { active: true } })
  const other = `Api ${keyOf(inForce.ref)} is older and already registers`
  const message =
    inForce.basePath === basePath
      ? `${other} "${basePath}": delete one of the two`
      : `${other} "${inForce.basePath}", which gateways cannot tell from "${basePath}": change one of the two base paths`
  return waiting('PreconditionNotMet', message, { status: { active: false } })
}
