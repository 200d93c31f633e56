import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { kindPrefix } from './keys.ts'
import type { KindTable } from './registry.ts'

/** The kind table and, for whoever reads the store, the kind behind a key. */
export interface IndexedKinds extends KindTable {
  /** `prefix` as `kindPrefix` writes it. */
  ofPrefix(prefix: string): Kind | undefined
}

export function indexKinds(kinds: readonly Kind[]): IndexedKinds {
  const byPlural = new Map(kinds.map((kind) => [`${kind.group}/${kind.version}/${kind.plural}`, kind]))
  const byKind = new Map(kinds.map((kind) => [`${apiVersionOf(kind)}/${kind.kind}`, kind]))
  const byPrefix = new Map(kinds.map((kind) => [kindPrefix(kind), kind]))
  if (byPrefix.size !== kinds.length) throw new Error('two kinds have the same group and plural')
  return {
    all: kinds,
    find: (group, version, plural) => byPlural.get(`${group}/${version}/${plural}`),
    ofKind: (apiVersion, kind) => byKind.get(`${apiVersion}/${kind}`),
    ofPrefix: (prefix) => byPrefix.get(prefix),
  }
}
