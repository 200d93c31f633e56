import { environmentOf, keyOf } from '#domain/environment.ts'
import type { SpecOf, StatusOf } from '#domain/kind.ts'
import { Api, type ApiSpec } from '#domain/kinds/api/api.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { labelValue } from '#domain/names.ts'
import { label, refTo } from '#domain/object.ts'
import { apiName, basePathProblem } from './api-path.ts'
import { type ApiSpecificationSpec, remarksOn } from './api-specification-remarks.ts'
import { type Child, child, type Planner, provisioned, waiting } from './plan.ts'
import { defineIndex, indexKey, oldest, type View, type World } from './world.ts'

type Spec = SpecOf<typeof ApiSpecification>
type Status = StatusOf<typeof ApiSpecification>

const specificationsByName = defineIndex<Spec, Status>({
  name: 'apiSpecificationsByName',
  kind: ApiSpecification,
  keys: ({ metadata, spec }) =>
    spec === undefined ? [] : [indexKey(metadata.namespace ?? '', apiName(spec.basepath))],
})

/** §2.3, platform §2.1.4: registers the Api. Whether that one counts is said there, not here (decisions §4.2). */
export const planApiSpecification: Planner<Spec, Status> = (self, world) => {
  const { spec } = self
  if (spec === undefined)
    return waiting('ValidationFailed', 'No spec is given: describe the API in spec', { status: {} })
  const conditions = remarksOn(world, environmentOf(self.namespace, self.labels), self.namespace, spec)
  const stop = (reason: string, message: string) => waiting(reason, message, { status: {}, conditions })
  const problem = basePathProblem(spec.basepath)
  if (problem !== undefined) return stop('PreconditionNotMet', problem)
  const elder = elderTwin(self, world, spec)
  if (elder !== undefined)
    return stop(
      'PreconditionNotMet',
      `ApiSpecification ${keyOf(elder)} is older and describes the same Api: delete one of the two`,
    )
  const api = apiChild(self.namespace, spec)
  return provisioned({ children: [api], status: { api: refTo(api) }, conditions })
}

/** Two descriptions of one team would write the same Api in turns: the elder counts. */
function elderTwin(self: View<Spec, Status>, world: World, spec: ApiSpecificationSpec): View | undefined {
  const all = world.list(specificationsByName, indexKey(self.namespace, apiName(spec.basepath)))
  const elder = oldest(all.filter((twin) => !twin.deleting))
  return elder === undefined || elder.uid === self.uid ? undefined : elder
}

function apiChild(namespace: string, spec: ApiSpecificationSpec): Child<typeof Api> {
  const { basepath, version, category, scopes, xvendor, specification } = spec
  const api: ApiSpec = {
    basePath: basepath,
    version,
    category,
    ...(scopes && { oauth2Scopes: scopes }),
    xVendor: xvendor ?? false,
    specification,
  }
  const labels = { [label('basepath')]: labelValue(basepath) }
  return child(Api, { namespace, name: apiName(basepath), labels, spec: api, needs: 'exists' })
}
