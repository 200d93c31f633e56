import { badRequest, StatusError } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import type { KindTable } from '#registry/registry.ts'

/** What a path under /api or /apis addresses. `namespace` is undefined for a list across namespaces, '' for cluster kinds. */
export interface ResourceRoute {
  readonly kind: Kind
  readonly namespace: string | undefined
  readonly name: string | undefined
  /** `status`, one of `subresources.ts`, or nothing we know. */
  readonly subresource: string | undefined
  /** The old form `/apis/g/v/watch/…`. */
  readonly watch: boolean
}

/**
 * Cuts a path into decoded segments. Everything that could mean one thing here and another in front of us is refused:
 * empty and dot segments, encoded slashes, control characters, broken escapes. One slash at the end is allowed.
 */
export function splitPath(path: string): readonly string[] {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(1, -1) : path.slice(1)
  if (!path.startsWith('/') || trimmed === '') throw unknownPath(path)
  const segments = trimmed.split('/')
  if (segments.length > MOST_SEGMENTS) throw unknownPath(path)
  return segments.map((segment) => decodeSegment(segment, path))
}

const MOST_SEGMENTS = 12
const PLAIN = /^[A-Za-z0-9._~:@!$&'()*+,;=-]+$/
// Only these can follow a decoded escape and still be one name.
// oxlint-disable-next-line no-control-regex
const HOSTILE = /[\u0000-\u001f\u007f\\]/

function decodeSegment(segment: string, path: string): string {
  if (segment === '' || segment === '.' || segment === '..') throw unknownPath(path)
  if (PLAIN.test(segment)) return segment
  const text = decodePercent(segment)
  if (text === '.' || text === '..') throw unknownPath(path)
  if (text.includes('/')) throw unknownPath(path)
  if (HOSTILE.test(text)) throw badRequest('the path contains a backslash or a control character')
  return text
}

function decodePercent(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw badRequest('the path has a broken percent escape')
  }
}

/** @throws StatusError NotFound for anything this server does not serve */
export function parseResourcePath(path: string, kinds: KindTable): ResourceRoute {
  const segments = splitPath(path)
  const core = segments[0] === 'api'
  if (!core && segments[0] !== 'apis') throw unknownPath(path)
  const group = core ? '' : (segments[1] ?? '')
  const version = segments[core ? 1 : 2] ?? ''
  let at = core ? 2 : 3
  const watch = segments[at] === 'watch'
  if (watch) at++
  if (segments[at] === undefined) throw unknownPath(path)
  return addressed({ group, version, rest: segments.slice(at), watch, path }, kinds)
}

interface Parts {
  readonly group: string
  readonly version: string
  /** From `namespaces` or the plural on. */
  readonly rest: readonly string[]
  readonly watch: boolean
  readonly path: string
}

/** `/api/v1/namespaces/x` and `/api/v1/namespaces/x/status` are about the Namespace; anything longer is inside of it. */
const OF_NAMESPACES = new Set(['status', 'finalize'])

function addressed(parts: Parts, kinds: KindTable): ResourceRoute {
  const { rest } = parts
  const inside =
    rest[0] === 'namespaces' && rest.length > 2 && !(parts.group === '' && OF_NAMESPACES.has(rest[2] ?? ''))
  const [plural = '', name, subresource, ...more] = inside ? rest.slice(2) : rest
  const kind = kinds.find(parts.group, parts.version, plural)
  if (kind === undefined) throw unknownPath(parts.path)
  if ((kind.scope === 'Cluster' && inside) || more.length > 0) throw unknownPath(parts.path)
  if (kind.scope === 'Namespaced' && !inside && name !== undefined) throw unknownPath(parts.path)
  const namespace = kind.scope === 'Cluster' ? '' : inside ? rest[1] : undefined
  return { kind, namespace, name, subresource, watch: parts.watch }
}

export const unknownPath = (path: string): StatusError =>
  new StatusError('NotFound', `the server does not serve ${printable(path)}: GET /apis lists what it does`)

/** A path in a message: short, and harmless in a terminal. */
function printable(path: string): string {
  const text = JSON.stringify(path).slice(1, -1)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
