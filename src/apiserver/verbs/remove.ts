import { badRequest } from '#domain/errors.ts'
import { encodeJson } from '#lib/json.ts'
import type { DeleteOptions, WriteContext } from '#registry/registry.ts'
import { acceptedForm } from '#apiserver/accepted-form.ts'
import { decodeBody } from '#apiserver/decode-body.ts'
import { parseDeleteOptions } from '#apiserver/delete-options.ts'
import type { Api, Exchange } from '#apiserver/exchange.ts'
import { readBody } from '#apiserver/read-body.ts'
import { LIST_VIEWS, OBJECT_VIEWS, showList } from '#apiserver/representation.ts'
import { sendEncoded } from '#apiserver/respond.ts'
import type { ResourceRoute } from '#apiserver/routes.ts'
import { sendList } from '#apiserver/send-list.ts'
import { deletedStatus } from '#apiserver/status.ts'
import { keyOf, listOptions, shown } from './read.ts'

export async function remove(api: Api, exchange: Exchange, route: ResourceRoute): Promise<string> {
  const accepted = acceptedForm(exchange, OBJECT_VIEWS)
  const { options, context } = await deletion(api, exchange)
  const deleted = await api.registry.delete(route.kind, keyOf(route), options, context)
  const name = route.name ?? ''
  const bytes = deleted.gone
    ? Buffer.from(encodeJson(deletedStatus(route.kind, name, deleted.resource.metadata.uid)))
    : deleted.bytes
  await sendEncoded(exchange.response, { code: 200, bytes }, accepted)
  return name
}

export async function removeCollection(api: Api, exchange: Exchange, route: ResourceRoute): Promise<string> {
  const accepted = acceptedForm(exchange, LIST_VIEWS)
  const options = listOptions(exchange.query, route)
  const { options: how, context } = await deletion(api, exchange)
  const listed = await api.registry.deleteCollection(route.kind, options, how, context)
  await sendList(exchange.response, showList(listed, shown(api, exchange, route, accepted)), accepted.encoding)
  return ''
}

interface Deletion {
  readonly options: DeleteOptions
  readonly context: WriteContext
}

/** Options come in the query or in a body; kubectl puts even `dryRun` into the body. */
async function deletion(api: Api, { request, query, user }: Exchange): Promise<Deletion> {
  const bytes = await readBody(request, api.limits)
  const body = bytes.length === 0 ? undefined : (await decodeBody(bytes, request.headers['content-type'])).value
  if (body !== undefined && (typeof body !== 'object' || body === null || Array.isArray(body))) {
    throw badRequest('the body of a DELETE must be a DeleteOptions object')
  }
  const { dryRun, ...options } = parseDeleteOptions(query, body as Readonly<Record<string, unknown>> | undefined)
  return { options, context: { user, dryRun } }
}
