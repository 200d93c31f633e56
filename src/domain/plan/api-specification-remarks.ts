import { type Verdict, verdict } from '#domain/condition.ts'
import { teamOf } from '#domain/environment.ts'
import type { SpecOf } from '#domain/kind.ts'
import type { ApiCategorySpec } from '#domain/kinds/api/api-category.ts'
import type { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { majorOf } from '#domain/kinds/advice.ts'
import { activeLabels, admits, categoryRules, hasCategories, teamAt } from './api-category.ts'
import { fileIntegrity } from './file-integrity.ts'
import type { World } from './world.ts'

export type ApiSpecificationSpec = NonNullable<SpecOf<typeof ApiSpecification>>

/** What is worth saying about a registration and never stops it (decisions §1.1). */
export function remarksOn(
  world: World,
  environment: string,
  namespace: string,
  spec: ApiSpecificationSpec,
): readonly Verdict[] {
  return [
    versionRemark(spec),
    fileIntegrity(world, environment, spec.specification, spec.hash),
    ...categoryRemarks(world, environment, namespace, spec),
    ...lintRemarks(spec),
  ]
}

function versionRemark({ basepath, version }: ApiSpecificationSpec): Verdict {
  const wanted = `v${majorOf(version) ?? ''}`
  const last = basepath.replace(/\/+$/, '').split('/').at(-1)
  if (last === wanted) return verdict('VersionInBasePath', true, 'Matches', `The base path ends in ${wanted}`)
  const message = `The base path "${basepath}" does not end in /${wanted}, the major version of "${version}": change one of them`
  return verdict('VersionInBasePath', false, 'MajorMismatch', message)
}

/** Platform §2.1.3, rows 4 to 9. */
function categoryRemarks(
  world: World,
  environment: string,
  namespace: string,
  spec: ApiSpecificationSpec,
): readonly Verdict[] {
  if (!world.derive(hasCategories, environment)) return []
  const rules = world.derive(categoryRules, environment, spec.category)
  const problems =
    rules === undefined ? [unknown(world, environment, spec.category)] : ruleProblems(world, namespace, spec, rules)
  const [first] = problems
  if (first === undefined)
    return [verdict('CategoryAllowed', true, 'Allowed', `Category "${spec.category}" is open to the team`)]
  const message = problems.map((problem) => problem.message).join('; ')
  return [verdict('CategoryAllowed', false, first.reason, message)]
}

interface Problem {
  readonly reason: string
  readonly message: string
}

function unknown(world: World, environment: string, category: string): Problem {
  const labels = world.derive(activeLabels, environment).join(', ')
  const advice =
    labels === '' ? ', and none is active: create it, or activate one and use that' : `: use one of ${labels}`
  return { reason: 'UnknownCategory', message: `No ApiCategory has the label "${category}"${advice}` }
}

function ruleProblems(
  world: World,
  namespace: string,
  { basepath }: ApiSpecificationSpec,
  { labelValue, active, allowTeams, mustHaveGroupPrefix }: ApiCategorySpec,
): readonly Problem[] {
  const own = teamOf(namespace)
  const name = own && `${own.group}--${own.team}`
  const category = world.derive(teamAt, namespace)?.category
  const problem = (holds: boolean, reason: string, message: string): readonly Problem[] =>
    holds ? [] : [{ reason, message }]
  const asked = allowTeams !== undefined
  return [
    ...problem(active, 'InactiveCategory', `ApiCategory "${labelValue}" is not active: activate it or use another`),
    ...problem(
      !asked || category === undefined || admits(allowTeams.categories, category),
      'TeamCategoryNotAllowed',
      `ApiCategory "${labelValue}" is not open to teams of category ${category}: add it to spec.allowTeams.categories`,
    ),
    ...problem(
      !asked || (name !== undefined && admits(allowTeams.names, name)),
      'TeamNotAllowed',
      `ApiCategory "${labelValue}" is not open to ${name ?? namespace}: add the team to spec.allowTeams.names`,
    ),
    ...problem(
      !mustHaveGroupPrefix || own === undefined || basepath.split('/')[1] === own.group,
      'GroupPrefixMissing',
      `ApiCategory "${labelValue}" asks for base paths that begin with /${own?.group}/: change the base path`,
    ),
  ]
}

/** The result of a check of the description, where one was made: an extra field beside the specified ones. */
function lintRemarks(spec: ApiSpecificationSpec): readonly Verdict[] {
  const { lint } = spec as { readonly lint?: { readonly passed?: unknown; readonly message?: unknown } }
  if (typeof lint !== 'object' || lint === null || typeof lint.passed !== 'boolean') return []
  const said = typeof lint.message === 'string' && lint.message !== '' ? lint.message : undefined
  return lint.passed
    ? [verdict('Linted', true, 'Passed', said ?? 'The description follows the rules of its category')]
    : [verdict('Linted', false, 'Failed', said ?? 'The description violates rules of its category: correct it')]
}
