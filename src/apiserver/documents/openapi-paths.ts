import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { schemaName } from './openapi-schemas.ts'

const query = (name: string, type: string): object => ({ name, in: 'query', schema: { type, uniqueItems: true } })
const inPath = (name: string): object => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
})

/** kubectl looks for these to know what the server can do for it. */
const WRITING = [query('dryRun', 'string'), query('fieldManager', 'string'), query('fieldValidation', 'string')]
const PATCHING = [...WRITING, query('force', 'boolean')]
const DELETING = [
  query('dryRun', 'string'),
  query('gracePeriodSeconds', 'integer'),
  query('propagationPolicy', 'string'),
]
const LISTING = [
  query('allowWatchBookmarks', 'boolean'),
  query('continue', 'string'),
  query('fieldSelector', 'string'),
  query('labelSelector', 'string'),
  query('limit', 'integer'),
  query('resourceVersion', 'string'),
  query('resourceVersionMatch', 'string'),
  query('sendInitialEvents', 'boolean'),
  query('timeoutSeconds', 'integer'),
  query('watch', 'boolean'),
]
const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml']

/** The paths of an OpenAPI 3 document, all operations of all kinds. */
export function pathsOf(kinds: readonly Kind[]): Record<string, object> {
  return Object.fromEntries(kinds.flatMap(kindPaths))
}

function kindPaths(kind: Kind): [path: string, item: object][] {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${apiVersionOf(kind)}`
  const namespaced = kind.scope === 'Namespaced'
  const base = namespaced ? `${root}/namespaces/{namespace}/${kind.plural}` : `${root}/${kind.plural}`
  const parameters = namespaced ? [inPath('namespace')] : []
  const named = [inPath('name'), ...parameters]
  const across: [string, object][] = namespaced
    ? [[`${root}/${kind.plural}`, { get: listing(kind, 'ForAllNamespaces') }]]
    : []
  return [
    [
      base,
      { get: listing(kind, ''), post: writing(kind, 'post'), delete: deleting(kind, 'deletecollection'), parameters },
    ],
    [`${base}/{name}`, { ...single(kind, ''), delete: deleting(kind, 'delete'), parameters: named }],
    [`${base}/{name}/status`, { ...single(kind, 'Status'), parameters: named }],
    ...across,
  ]
}

const single = (kind: Kind, suffix: string): object => ({
  get: operation(kind, 'get', { id: `read${kind.kind}${suffix}`, parameters: [] }),
  put: writing(kind, 'put', suffix),
  patch: patching(kind, suffix),
})

interface Operation {
  readonly id: string
  readonly parameters: readonly object[]
  readonly requestBody?: object
  readonly list?: boolean
}

function operation(kind: Kind, action: string, { id, parameters, requestBody, list = false }: Operation): object {
  const schema = { $ref: `#/components/schemas/${schemaName(kind)}${list ? 'List' : ''}` }
  return {
    operationId: id,
    parameters,
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group: kind.group, version: kind.version, kind: kind.kind },
  }
}

const listing = (kind: Kind, suffix: string): object =>
  operation(kind, 'list', { id: `list${kind.kind}${suffix}`, parameters: LISTING, list: true })

const deleting = (kind: Kind, action: 'delete' | 'deletecollection'): object =>
  operation(kind, action, { id: `${action}${kind.kind}`, parameters: DELETING })

function writing(kind: Kind, method: 'post' | 'put', suffix = ''): object {
  const schema = { $ref: `#/components/schemas/${schemaName(kind)}` }
  const requestBody = { required: true, content: { 'application/json': { schema } } }
  const id = `${method === 'post' ? 'create' : 'replace'}${kind.kind}${suffix}`
  return operation(kind, method, { id, parameters: WRITING, requestBody })
}

function patching(kind: Kind, suffix: string): object {
  const content = Object.fromEntries(PATCH_TYPES.map((type) => [type, { schema: { type: 'object' } }]))
  const requestBody = { required: true, content }
  return operation(kind, 'patch', { id: `patch${kind.kind}${suffix}`, parameters: PATCHING, requestBody })
}
