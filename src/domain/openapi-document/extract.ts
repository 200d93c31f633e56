import { isResourceName, nameValue } from '#domain/names.ts'
import { basePathOf } from './base-path.ts'
import { isMap, type Problem, problem, property, textOf } from './parts.ts'
import { scopesOf } from './scopes.ts'

/** What is registered of a description (§2.3, platform §2.1.5). */
export interface Description {
  readonly basepath: string
  readonly version: string
  readonly category: string
  readonly xvendor: boolean
  readonly scopes: readonly string[]
}

/**
 * Reads a parsed OpenAPI 2 or 3 document. Only the few places that matter are looked at, so neither its size nor cycles
 * in it matter here.
 */
export function extractDescription(document: unknown): Description | readonly Problem[] {
  if (!isMap(document)) return [problem('', 'the document is no object; an OpenAPI 2 or 3 document was expected')]
  const format = formatOf(document)
  if (typeof format === 'object') return [format]
  const info = property(document, 'info')
  const basepath = basePathOf(document, format)
  const version = versionOf(info)
  const problems = [basepath, version].filter((part) => typeof part === 'object')
  if (typeof basepath === 'object' || typeof version === 'object') return problems
  return {
    basepath,
    version,
    category: textOf(property(info, 'x-api-category'))?.trim() || 'other',
    xvendor: isTrue(property(info, 'x-vendor')),
    scopes: scopesOf(document, format),
  }
}

const isTrue = (value: unknown): boolean => value === true || (typeof value === 'string' && /^true$/i.test(value))

function formatOf(document: unknown): 2 | 3 | Problem {
  const swagger = textOf(property(document, 'swagger'))
  const openapi = textOf(property(document, 'openapi'))
  if (swagger !== undefined && /^2(\.|$)/.test(swagger)) return 2
  if (openapi !== undefined && /^3(\.|$)/.test(openapi)) return 3
  const said = openapi ?? swagger
  const found = said === undefined ? 'names no version' : `is of version ${JSON.stringify(said.slice(0, 40))}`
  return problem(
    swagger === undefined ? 'openapi' : 'swagger',
    `the document ${found}; only OpenAPI 2 and 3 are supported`,
  )
}

function versionOf(info: unknown): string | Problem {
  const version = textOf(property(info, 'version'))
  if (version === undefined || version === '')
    return problem('info.version', 'the description has no version: add info.version')
  if (/^\d/.test(version) && version.length <= 200) return version
  return problem('info.version', `the version ${JSON.stringify(version.slice(0, 40))} does not begin with a digit`)
}

/**
 * `/eni/Foo/v1` → `eni-foo-v1`: the name of the ApiSpecification (platform §2.1.2); where that is no name, that of its
 * Api, in which underscores are hyphens. Undefined for a base path that no API can have.
 */
export function specificationName(basepath: string): string | undefined {
  const plain = basepath
    .replace(/^\/+|\/+$/g, '')
    .replaceAll('/', '-')
    .toLowerCase()
  return [plain, nameValue(basepath)].find(isResourceName)
}

/** What to say of a base path without a name. */
export const namelessBasePath = (basepath: string): string =>
  `the base path ${JSON.stringify(basepath)} makes no name: use letters, digits, hyphens and dots between its slashes`
