import { badRequest, forbidden, invalid, type StatusError } from '#domain/errors.ts'
import { File } from '#domain/kinds/files/file.ts'
import { checksumOf, keyOfFile, LARGEST_FILE } from '#registry/files/files.ts'
import type { Verb } from './dispatch.ts'
import type { Api, Exchange } from './exchange.ts'
import { readBody } from './read-body.ts'
import { sendJson } from './respond.ts'
import { type ResourceRoute, splitPath } from './routes.ts'

const PREFIX = '/api/v1/files/'

/** What `/api/v1/files/<id>` is about; undefined for every other path. @throws StatusError BadRequest for a bad id */
export function fileRoute(path: string): ResourceRoute | undefined {
  if (!path.startsWith(PREFIX)) return undefined
  const [, , , id = '', ...more] = splitPath(path)
  if (more.length > 0) throw badRequest('a file id has no slash in it: it has the form <env>--<group>--<team>--<name>')
  const { namespace, name } = keyOfFile(id)
  return { kind: File, namespace, name, subresource: undefined, watch: false }
}

const VERBS: Readonly<Record<string, Verb>> = { GET: 'get', HEAD: 'get', PUT: 'update', DELETE: 'delete' }

export const FILE_METHODS: readonly string[] = Object.keys(VERBS)

/** Undefined: files know no such method. */
export const fileVerbOf = (method: string): Verb | undefined =>
  Object.hasOwn(VERBS, method) ? VERBS[method] : undefined

/** The file manager (platform §10): bytes in, the same bytes out, checked both ways. */
export async function serveFile(api: Api, exchange: Exchange, route: ResourceRoute, verb: Verb): Promise<void> {
  const { namespace, name } = route
  const refused = api.access(exchange.user, {
    verb,
    group: File.group,
    resource: File.plural,
    subresource: undefined,
    namespace,
    name,
  })
  if (refused !== undefined) throw forbidden(File, name ?? '', refused)
  const lane = verb === 'get' ? 'reads' : 'writes'
  api.limits.enter(lane)
  try {
    const id = `${namespace}--${name}`
    if (verb === 'get') return sendFile(api, exchange, id)
    if (verb === 'update') return await storeFile(api, exchange, id)
    await api.registry.delete(File, keyOfFile(id), {}, { user: exchange.user })
    exchange.response.writeHead(204).end()
  } finally {
    api.limits.leave(lane)
  }
}

/** Never shown as what it claims to be: a stranger's page must not run in the name of this server. */
function sendFile(api: Api, { request, response }: Exchange, id: string): void {
  const { bytes, contentType, checksum } = api.registry.files.get(id)
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': bytes.length,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache, private',
    'x-file-content-type': contentType,
    'x-file-checksum': checksum,
  })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

async function storeFile(api: Api, { request, response }: Exchange, id: string): Promise<void> {
  const contentType = contentTypeOf(request.headers['x-file-content-type'], id)
  const bytes = await readBody(request, api.limits, LARGEST_FILE)
  const claimed = request.headers['x-file-checksum']
  const checksum = checksumOf(bytes)
  if (claimed !== undefined && claimed !== checksum)
    throw wrongHeader(id, 'X-File-Checksum', `Invalid value: the bytes have the checksum ${checksum}; send them again`)
  await api.registry.files.put(id, { bytes, contentType })
  sendJson(response, 200, { id }, ['x-file-content-type', contentType, 'x-file-checksum', checksum])
}

const MEDIA_TYPE = /^[A-Za-z0-9!#$&^_.+-]{1,100}\/[A-Za-z0-9!#$&^_.+-]{1,100}(?:; ?charset=[A-Za-z0-9-]{1,30})?$/

function contentTypeOf(header: string | string[] | undefined, id: string): string {
  if (header === undefined) throw wrongHeader(id, 'X-File-Content-Type', 'Required value: say what the file is')
  if (typeof header === 'string' && MEDIA_TYPE.test(header)) return header
  throw wrongHeader(id, 'X-File-Content-Type', 'Invalid value: a media type was expected, as in application/yaml')
}

const wrongHeader = (id: string, field: string, message: string): StatusError =>
  invalid(File, id, [{ reason: 'FieldValueInvalid', field, message }])
