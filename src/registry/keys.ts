import type { Kind } from '#domain/kind.ts'
import type { Key } from './registry.ts'

/**
 * Store keys: `/<group>/<plural>/<namespace>/<name>`, the namespace empty for cluster-scoped kinds, so that a kind and a
 * namespace of a kind are prefixes. Secrets live under a root of their own that no list or watch of resources reaches.
 */
export const RESOURCE_ROOT = '/'
export const SECRET_ROOT = 'secret:'

export const kindPrefix = (kind: Pick<Kind, 'group' | 'plural'>): string => `/${kind.group}/${kind.plural}/`

export const namespacePrefix = (kind: Pick<Kind, 'group' | 'plural'>, namespace: string): string =>
  `/${kind.group}/${kind.plural}/${namespace}/`

export const resourceKey = (kind: Pick<Kind, 'group' | 'plural'>, key: Key): string =>
  `/${kind.group}/${kind.plural}/${key.namespace}/${key.name}`

export const secretKey = (id: string): string => SECRET_ROOT + id

export interface ParsedKey extends Key {
  /** As `kindPrefix` writes it. */
  readonly kind: string
}

/** Names hold no slash, so the first four are the ones `resourceKey` wrote. */
export function parseKey(key: string): ParsedKey {
  const group = key.indexOf('/', 1)
  const plural = key.indexOf('/', group + 1)
  const namespace = key.indexOf('/', plural + 1)
  return { kind: key.slice(0, plural + 1), namespace: key.slice(plural + 1, namespace), name: key.slice(namespace + 1) }
}
