import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { namespacePrefix } from './keys.ts'
import type { Parts } from './parts.ts'

export const isNamespaceKind = (kind: Pick<Kind, 'group' | 'kind'>): boolean =>
  kind.group === '' && kind.kind === 'Namespace'

export const namespaceIsEmpty = ({ store, kinds }: Pick<Parts, 'store' | 'kinds'>, namespace: string): boolean =>
  kinds.all.every((kind) => kind.scope === 'Cluster' || store.count(namespacePrefix(kind, namespace)) === 0)

export const terminating = (namespace: Resource): Resource => ({
  ...namespace,
  status: { ...namespace.status, phase: 'Terminating' } as Resource['status'],
})
