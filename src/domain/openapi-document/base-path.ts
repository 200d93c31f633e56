import { isMap, type Problem, problem, property, textOf } from './parts.ts'

/** The longest base path that can be registered (§2.3). */
const LONGEST = 200
const LONGEST_URL = 4096

/** Version 2 says it; in version 3 it is the path of the first server. */
export function basePathOf(document: unknown, format: 2 | 3): string | Problem {
  return format === 2 ? fromBasePath(document) : fromServers(document)
}

function fromBasePath(document: unknown): string | Problem {
  const basePath = property(document, 'basePath')
  if (typeof basePath !== 'string' || basePath === '')
    return problem('basePath', 'the description has no base path: add basePath')
  return checked('basePath', basePath)
}

function fromServers(document: unknown): string | Problem {
  const servers = property(document, 'servers')
  const [first] = Array.isArray(servers) ? (servers as readonly unknown[]) : []
  if (!isMap(first))
    return problem('servers[0]', 'the description has no server: add one whose url ends in the base path')
  const field = 'servers[0].url'
  const url = property(first, 'url')
  if (typeof url !== 'string' || url === '')
    return problem(field, 'the server has no url: add one that ends in the base path')
  if (url.length > LONGEST_URL) return problem(field, `the url has more than ${LONGEST_URL} characters`)
  const filled = substitute(url, property(first, 'variables'))
  if (typeof filled === 'object') return filled
  const path = pathOf(filled)
  if (path === undefined) return problem(field, `${quoted(filled)} is no URL`)
  if (path === '' || path === '/')
    return problem(field, `${quoted(filled)} has no base path: let it end in one, as in https://example.com/eni/foo/v1`)
  return checked(field, path)
}

/** `{name}` becomes the default of that variable; the result is not looked at for further ones. */
function substitute(url: string, variables: unknown): string | Problem {
  let missing: string | undefined
  const filled = url.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const value = textOf(property(property(variables, name), 'default'))
    if (value === undefined) missing ??= name
    return value ?? whole
  })
  if (missing === undefined) return filled.slice(0, LONGEST_URL)
  return problem(
    'servers[0].url',
    `the variable {${missing.slice(0, 40)}} has no default: add servers[0].variables.${missing.slice(0, 40)}.default`,
  )
}

/** Absolute, protocol-relative or relative to the host; a path relative to the document names no base path. */
function pathOf(url: string): string | undefined {
  const [, authority, path] = /^(?:[A-Za-z][A-Za-z0-9+.-]*:)?\/\/([^/?#]*)([^?#]*)/.exec(url) ?? []
  if (authority !== undefined) return authority === '' || /\s/.test(authority) ? undefined : (path ?? '')
  return url.startsWith('/') ? (/^[^?#]*/.exec(url)?.[0] ?? '') : undefined
}

function checked(field: string, path: string): string | Problem {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  if (!trimmed.startsWith('/')) return problem(field, `the base path ${quoted(trimmed)} does not start with a slash`)
  if (trimmed.length > LONGEST) return problem(field, `the base path has more than ${LONGEST} characters`)
  if (/[\s{}]/.test(trimmed)) return problem(field, `the base path ${quoted(trimmed)} has spaces or variables in it`)
  return trimmed
}

const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
