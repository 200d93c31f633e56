import type { Kind } from '#domain/kind.ts'
import { CustomResourceDefinition } from '#apiserver/definitions/custom-resource-definition.ts'

/** A line of discovery: what can be done with one kind of resource or subresource. */
export interface ServedResource {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly status: boolean
}

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

const ofKind = (kind: Kind): ServedResource => ({
  group: kind.group,
  version: kind.version,
  plural: kind.plural,
  singular: kind.singular,
  kind: kind.kind,
  namespaced: kind.scope === 'Namespaced',
  verbs: VERBS,
  shortNames: kind.shortNames,
  categories: isDeclared(kind) ? ['all', ...kind.categories] : kind.categories,
  status: !isCoreEvent(kind),
})

/**
 * What `kubectl get all` shows: the kinds people write, by declaring or, for approvals, by deciding. What is derived from them
 * would bury them; `kubectl get stellwerk` shows that too. Namespaces and events are not among `all` anywhere. Only here and not
 * in the definitions of the kinds: in a cluster, `all` is about its workloads.
 */
const isDeclared = (kind: Kind): boolean => kind.group !== '' && kind.written === 'by-people'

const isCoreEvent = (kind: Kind): boolean => kind.group === '' && kind.kind === 'Event'

const review = (group: string, kind: string): ServedResource => ({
  group,
  version: 'v1',
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  kind,
  namespaced: false,
  verbs: ['create'],
  shortNames: [],
  categories: [],
  status: false,
})

/** Questions about oneself that kubectl asks (`auth can-i`, `auth whoami`). */
const REVIEWS = [
  review('authorization.k8s.io', 'SelfSubjectAccessReview'),
  review('authorization.k8s.io', 'SelfSubjectRulesReview'),
  review('authentication.k8s.io', 'SelfSubjectReview'),
]

/** To be read only. Without them kubectl cannot tell a kind that nobody serves from a server it does not understand. */
const DEFINITIONS: ServedResource = { ...ofKind(CustomResourceDefinition), verbs: ['get', 'list'], status: false }

/** Everything this server serves, by group and then by name. */
export function servedResources(kinds: readonly Kind[]): readonly ServedResource[] {
  const order = (r: ServedResource): string => `${r.group}/${r.plural}`
  return [...kinds.map(ofKind), DEFINITIONS, ...REVIEWS].toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
}

/** Groups in order, the core group as ''. */
export function groupsOf(resources: readonly ServedResource[]): readonly string[] {
  return [...new Set(resources.map((r) => r.group))]
}
