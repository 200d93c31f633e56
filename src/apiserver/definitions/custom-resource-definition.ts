import { createHash } from 'node:crypto'
import { crdOf } from '#domain/crd.ts'
import { defineKind, type Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import { s } from '#domain/schema.ts'
import type { Stored } from '#registry/registry.ts'
import { encodeResource } from '#registry/resource-bytes.ts'

/** The kind of kinds. Not one of `KINDS`: nothing of it is stored, nobody can write it. */
export const CustomResourceDefinition: Kind = {
  ...defineKind({
    group: 'apiextensions.k8s.io',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    shortNames: ['crd', 'crds'],
    scope: 'Cluster',
    doc: 'What a kind looks like. Kinds come with the server: their definitions can only be read.',
    spec: s.anything({ doc: 'The names of the kind, its schema and its columns.' }),
    status: s.anything({ doc: 'That the kind is served.' }),
    preserveUnknown: true,
    written: 'by-platform',
    // As a cluster prints it: the moment, not the age.
    columns: [{ name: 'Created At', type: 'string', path: '.metadata.creationTimestamp' }],
  }),
  categories: ['api-extensions'],
}

/** Their version; they never change while the server runs. */
const REVISION = 1

/** The definitions of our kinds by name, as `kubectl get crd` shows them. `since` is RFC 3339: from when on they are served. */
export function definitionsOf(kinds: readonly Kind[], since: string): ReadonlyMap<string, Stored> {
  const stored = kinds
    .filter((kind) => kind.group !== '')
    .map((kind): [string, Stored] => {
      const resource = servedDefinition(kind, since)
      return [resource.metadata.name, { bytes: encodeResource(resource, REVISION), revision: REVISION, resource }]
    })
  return new Map(stored.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function servedDefinition(kind: Kind, since: string): Resource {
  const { apiVersion, kind: name, metadata, spec } = crdOf(kind)
  const condition = { status: 'True' as const, lastTransitionTime: since }
  const conditions = [
    { type: 'NamesAccepted', ...condition, reason: 'NoConflicts', message: 'no conflicts found' },
    { type: 'Established', ...condition, reason: 'InitialNamesAccepted', message: 'the kind is served' },
  ]
  return {
    apiVersion,
    kind: name,
    metadata: {
      ...metadata,
      uid: uidOf(metadata.name),
      resourceVersion: String(REVISION),
      generation: 1,
      creationTimestamp: since,
    },
    spec,
    status: { acceptedNames: spec['names'], conditions, storedVersions: [kind.version] } as Resource['status'],
  }
}

/** The same in every process, as is what it names: a UUID of version 8, made of the name. */
function uidOf(name: string): string {
  const hex = createHash('sha256').update(`CustomResourceDefinition/${name}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
