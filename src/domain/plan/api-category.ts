import { environmentOf, keyOf, teamOf } from '#domain/environment.ts'
import { ApiCategory, type ApiCategorySpec, type ApiCategoryStatus } from '#domain/kinds/api/api-category.ts'
import { Team } from '#domain/kinds/organization/team.ts'
import { compareText } from '#domain/object.ts'
import { obstacle, type Obstacle } from './obstacle.ts'
import { ofEnvironment } from './of-environment.ts'
import { type Planner, provisioned, waiting } from './plan.ts'
import { defineAggregate, defineIndex, indexKey, oldest, type View, type World } from './world.ts'

type CategoryView = View<ApiCategorySpec, ApiCategoryStatus>

/** Labels count whatever their case (platform D-9). */
const categoriesByLabel = defineIndex<ApiCategorySpec, ApiCategoryStatus>({
  name: 'apiCategoriesByLabel',
  kind: ApiCategory,
  keys: ({ metadata, spec }) => [
    indexKey(environmentOf(metadata.namespace ?? '', metadata.labels), spec.labelValue.toLowerCase()),
  ],
})

const categoryLabels = defineAggregate<ApiCategorySpec, ApiCategoryStatus>({
  name: 'apiCategoryLabels',
  kind: ApiCategory,
  entries: ({ metadata, spec }) => {
    if (metadata.deletionTimestamp !== undefined) return []
    const key = environmentOf(metadata.namespace ?? '', metadata.labels)
    return [{ key, value: `${spec.active ? '+' : '-'}${spec.labelValue}` }]
  },
})

/** The category with this label: the oldest that is not being deleted. */
const categoryAt = (world: World, environment: string, label: string): CategoryView | undefined =>
  oldest(world.list(categoriesByLabel, indexKey(environment, label.toLowerCase())).filter((c) => !c.deleting))

/** Whether the environment sorts its APIs at all. */
export const hasCategories = (world: World, environment: string): boolean =>
  world.values(categoryLabels, environment).length > 0

/** The labels APIs may use, for messages. */
export const activeLabels = (world: World, environment: string): readonly string[] =>
  world
    .values(categoryLabels, environment)
    .filter((label) => label.startsWith('+'))
    .map((label) => label.slice(1))
    .toSorted(compareText)

/** What a category asks; undefined when there is none with this label. */
export function categoryRules(world: World, environment: string, label: string): ApiCategorySpec | undefined {
  return categoryAt(world, environment, label)?.spec
}

/** Absent: everyone. An empty list denies everyone (platform §3.3). */
export const admits = (list: readonly string[] | undefined, value: string): boolean =>
  list?.some((item) => item === '*' || item === value) === true

export interface OwnTeam {
  readonly name: string
  readonly group: string
  readonly category: string
}

/** The team a namespace belongs to, where there is a Team object for it. */
export function teamAt(world: World, namespace: string): OwnTeam | undefined {
  const parts = teamOf(namespace)
  if (parts === undefined) return undefined
  const name = `${parts.group}--${parts.team}`
  const spec = ofEnvironment(world, parts.environment, Team, { namespace: parts.environment, name })?.spec
  return spec && { name, group: spec.group, category: spec.category ?? 'Customer' }
}

/** Platform §3.3: what exposures and subscriptions are asked; `namespace` is that of their application. */
export function categoryObstacle(
  world: World,
  environment: string,
  label: string,
  namespace: string,
): Obstacle | undefined {
  if (!world.derive(hasCategories, environment)) return undefined
  if (teamOf(namespace) === undefined)
    return obstacle(
      'ApiCategoryPolicyResolutionFailed',
      `Namespace ${namespace} belongs to no team, so category "${label}" cannot be checked: move the application into <env>--<group>--<team>`,
    )
  const team = world.derive(teamAt, namespace)
  if (team === undefined) return undefined
  const rules = world.derive(categoryRules, environment, label)
  if (rules === undefined)
    return obstacle(
      'ApiCategoryPolicyResolutionFailed',
      `No ApiCategory has the label "${label}": create it or give the API another category`,
    )
  if (rules.allowTeams === undefined || admits(rules.allowTeams.categories, team.category)) return undefined
  return obstacle(
    'ApiCategoryTeamCategoryNotAllowed',
    `ApiCategory "${rules.labelValue}" is not open to teams of category ${team.category}: add it to spec.allowTeams.categories`,
  )
}

/** Platform §3.3: a label stands for one category. */
export const planApiCategory: Planner<ApiCategorySpec, ApiCategoryStatus> = (self, world) => {
  const inForce = categoryAt(world, environmentOf(self.namespace, self.labels), self.spec.labelValue)
  if (inForce === undefined || inForce.uid === self.uid) return provisioned({ status: {} })
  const message = `ApiCategory ${keyOf(inForce)} is older and already has the label "${self.spec.labelValue}": delete one of the two`
  return waiting('PreconditionNotMet', message, { status: {} })
}
