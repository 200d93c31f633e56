import { environmentOf } from '#domain/environment.ts'
import { ApiCategory, type ApiCategorySpec } from '#domain/kinds/api/api-category.ts'
import { compareText } from '#domain/object.ts'
import type { Description } from '#domain/openapi-document/extract.ts'
import type { Registry } from '#registry/registry.ts'

/** What the category of an API says about an upload: never a refusal (decisions §1.1), but said at once. */
export interface Advice {
  readonly warnings: readonly string[]
  /** The result to register, where the category asks for a check. */
  readonly lint?: { readonly passed: boolean; readonly message?: string } | undefined
}

export async function categoryAdvice(
  registry: Registry,
  namespace: string,
  { category, basepath }: Description,
  findings: readonly string[],
): Promise<Advice> {
  const { items } = await registry.list(ApiCategory, { namespace: environmentOf(namespace) })
  const categories = items.map((item) => item.resource.spec as ApiCategorySpec)
  if (categories.length === 0) return { warnings: [] }
  const found = categories.find((c) => c.labelValue.toLowerCase() === category.toLowerCase())
  if (found === undefined) return { warnings: [unknown(category, categories)] }
  const warnings = found.active ? [] : [`the category ${found.labelValue} is not active: choose another`]
  const lint = lintOf(found, basepath, findings)
  return { warnings: [...warnings, ...(lint?.passed === false ? findings : [])], lint }
}

function unknown(category: string, categories: readonly ApiCategorySpec[]): string {
  const active = categories.filter((c) => c.active).map((c) => c.labelValue)
  const said = `the category ${JSON.stringify(category.slice(0, 40))} does not exist`
  if (active.length === 0) return `${said}, and none is active: create it, or activate one and use that`
  return `${said}: use one of ${active.toSorted(compareText).join(', ')}`
}

/** Platform §2.1.6 with our own rules instead of an external linter: no rules are asked of white-listed APIs. */
function lintOf({ linting }: ApiCategorySpec, basepath: string, findings: readonly string[]): Advice['lint'] {
  if (linting === undefined || linting.mode === 'None') return undefined
  const spared = linting.whitelistedBasepaths?.some((path) => path.toLowerCase() === basepath.toLowerCase()) === true
  if (spared || findings.length === 0) return { passed: true }
  return { passed: false, message: findings.slice(0, 5).join('; ') }
}
