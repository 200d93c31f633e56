import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { Event } from '#domain/kinds/core/event.ts'
import { definitionName, openApiSchemaOf } from '#domain/openapi.ts'
import { eventSchema } from './event-schema.ts'

type Version = 'v2' | 'v3'

/** The name of a kind's schema in our documents. */
export const schemaName = (kind: Kind): string =>
  kind.group === '' ? `io.k8s.api.core.${kind.version}.${kind.kind}` : definitionName(kind)

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** The schemas of these kinds, of their lists and of the metadata they share. */
export function openApiSchemas(kinds: readonly Kind[], version: Version): Record<string, object> {
  const own = kinds.flatMap((kind): [string, object][] => [
    [schemaName(kind), kind === Event ? eventSchema(version) : openApiSchemaOf(kind, { version })],
    [`${schemaName(kind)}List`, listSchema(kind, version)],
  ])
  return Object.fromEntries([...own, ...sharedSchemas(version)])
}

export const reference = (name: string, version: Version): object => ({
  $ref: version === 'v3' ? `#/components/schemas/${name}` : `#/definitions/${name}`,
})

function listSchema(kind: Kind, version: Version): object {
  return {
    type: 'object',
    description: `A list of ${kind.plural}.`,
    required: ['items'],
    properties: {
      apiVersion: { type: 'string', description: `Always ${apiVersionOf(kind)}.` },
      kind: { type: 'string', description: `Always ${kind.kind}List.` },
      metadata: reference(`${META}.ListMeta`, version),
      items: { type: 'array', items: reference(schemaName(kind), version) },
    },
    'x-kubernetes-group-version-kind': [{ group: kind.group, version: kind.version, kind: `${kind.kind}List` }],
  }
}

const text = (description: string): object => ({ type: 'string', description })
const time = (description: string): object => ({ type: 'string', format: 'date-time', description })
const texts = (description: string): object => ({
  type: 'object',
  additionalProperties: { type: 'string' },
  description,
})

function sharedSchemas(version: Version): [name: string, schema: object][] {
  const objectMeta = {
    name: text('Unique within the namespace for its kind. Cannot be changed.'),
    generateName: text('The beginning of a name the server completes when no name is given.'),
    namespace: text('The space within which names are unique. It is made by the first write into it.'),
    uid: text('Different for every object that ever existed. Set by the server.'),
    resourceVersion: text('The version of the object: changes with every write. An update must carry the one it read.'),
    generation: { type: 'integer', format: 'int64', description: 'Counts the changes of the desired state.' },
    creationTimestamp: time('When the object was created. Set by the server.'),
    deletionTimestamp: time('When the object was asked to go; it stays until its finalizers are gone.'),
    deletionGracePeriodSeconds: { type: 'integer', format: 'int64', description: 'Always 0 here.' },
    labels: texts('Short values to select objects by.'),
    annotations: texts('Any further notes.'),
    finalizers: {
      type: 'array',
      items: { type: 'string' },
      description: 'What has to happen before the object may go.',
    },
    ownerReferences: {
      type: 'array',
      items: reference(`${META}.OwnerReference`, version),
      description: 'The objects this one exists for; it goes when they are all gone.',
    },
    managedFields: { type: 'array', items: { type: 'object' }, description: 'Who manages which fields.' },
  }
  return [
    [`${META}.ObjectMeta`, { type: 'object', description: 'What every object carries.', properties: objectMeta }],
    [`${META}.OwnerReference`, ownerReference],
    [`${META}.ListMeta`, listMeta],
  ]
}

const ownerReference = {
  type: 'object',
  description: 'An object that another one exists for.',
  required: ['apiVersion', 'kind', 'name', 'uid'],
  properties: {
    apiVersion: text('Group and version of the owner.'),
    kind: text('Kind of the owner.'),
    name: text('Name of the owner, in the same namespace.'),
    uid: text('The uid of the owner.'),
    controller: { type: 'boolean', description: 'Whether this owner manages the object.' },
    blockOwnerDeletion: {
      type: 'boolean',
      description: 'Whether the owner waits for this object when deleted in foreground.',
    },
  },
}

const listMeta = {
  type: 'object',
  description: 'What every list carries.',
  properties: {
    resourceVersion: text('The version of the state the list shows; a watch can start from it.'),
    continue: text('Asks for the next page of the same state.'),
    remainingItemCount: { type: 'integer', format: 'int64', description: 'How many objects follow.' },
  },
}
