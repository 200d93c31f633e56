import { apiVersionOf, type Kind } from '#domain/kind.ts'
import type { Named, Resource } from '#domain/object.ts'

/*
 * Objects are named by texts like `group/version/Kind/namespace/name`. The very same string is handed out each time, so
 * that as a key it need not be put together, hashed or compared again: a run looks up a hundred of them.
 */

const ids = new Map<Kind<any, any>, string>()

/** Names a kind: the same string that `apiVersion/kind` of its resources gives. */
export function kindId(kind: Kind<any, any>): string {
  let id = ids.get(kind)
  if (id === undefined) ids.set(kind, (id = idOf(apiVersionOf(kind), kind.kind)))
  return id
}

const known = new Map<string, Map<string, string>>()

function idOf(apiVersion: string, kind: string): string {
  let kinds = known.get(apiVersion)
  if (kinds === undefined) known.set(apiVersion, (kinds = new Map()))
  let id = kinds.get(kind)
  if (id === undefined) kinds.set(kind, (id = `${apiVersion}/${kind}`))
  return id
}

export const kindIdOf = ({ apiVersion, kind }: Pick<Resource, 'apiVersion' | 'kind'>): string => idOf(apiVersion, kind)

type Names = Map<string, Map<string, string>>

let names = new Map<string, Names>()
let remembered = 0
/** Those of objects that never were must not pile up; what is forgotten is put together again. */
const MOST_NAMES = 500_000

/** Names an object among all. `kind`: see `kindId`; the namespace of what has none is empty. */
export function entityName(kind: string, namespace: string, name: string): string {
  let ofKind = names.get(kind)
  if (ofKind === undefined) names.set(kind, (ofKind = new Map()))
  let ofNamespace = ofKind.get(namespace)
  if (ofNamespace === undefined) ofKind.set(namespace, (ofNamespace = new Map()))
  const entity = ofNamespace.get(name)
  return entity ?? remember(ofNamespace, name, `${kind}/${namespace}/${name}`)
}

function remember(ofNamespace: Map<string, string>, name: string, entity: string): string {
  if (++remembered > MOST_NAMES) {
    names = new Map()
    remembered = 0
  } else ofNamespace.set(name, entity)
  return entity
}

/** For tests: how many names are remembered. */
export const namesKnown = (): number => remembered

/** The object is gone, and most likely for good. */
export function forgetEntity({ apiVersion, kind, metadata }: Resource): void {
  const ofKind = names.get(idOf(apiVersion, kind))
  const ofNamespace = ofKind?.get(metadata.namespace ?? '')
  if (ofNamespace?.delete(metadata.name) !== true) return
  remembered--
  if (ofNamespace.size === 0) ofKind!.delete(metadata.namespace ?? '')
}

export const entityOf = (resource: Resource): string =>
  entityName(kindIdOf(resource), resource.metadata.namespace ?? '', resource.metadata.name)

/** The object of this kind that a reference means: the namespace does not matter where there is none. */
export const entityAt = (kind: Kind<any, any>, { namespace, name }: Named): string =>
  entityName(kindId(kind), kind.scope === 'Cluster' ? '' : namespace, name)

/** The kind of an object, by the object's name. */
export const kindOfEntity = (entity: string): string => entity.split('/').slice(0, -2).join('/')
