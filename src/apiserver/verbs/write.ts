import type { Body, WriteContext, Written } from '#registry/registry.ts'
import { decodeBody, decodePatch, patchType } from '#apiserver/decode-body.ts'
import type { Api, Exchange } from '#apiserver/exchange.ts'
import { acceptedForm } from '#apiserver/accepted-form.ts'
import type { Accepted } from '#apiserver/negotiate.ts'
import { booleanParameter, invalidOption, writeParameters, type OptionsKind } from '#apiserver/parameters.ts'
import { readBody } from '#apiserver/read-body.ts'
import { OBJECT_VIEWS, showObject } from '#apiserver/representation.ts'
import { sendBytes, sendEncoded, warningHeaders } from '#apiserver/respond.ts'
import type { ResourceRoute } from '#apiserver/routes.ts'
import { keyOf, shown } from './read.ts'

/** Writes return the name of what they wrote, for the audit line. */
export async function create(api: Api, exchange: Exchange, route: ResourceRoute): Promise<string> {
  const accepted = formOf(exchange)
  const context = writeContext(exchange, route, 'CreateOptions')
  const body = await bodyOf(api, exchange)
  const written = await api.registry.create(route.kind, route.namespace ?? '', body, context)
  await answer(api, exchange, route, { written, accepted })
  return sentName(body) ?? written.resource.metadata.name
}

/** Who sent a name needs nothing parsed to know what was written. */
function sentName({ value }: Body): string | undefined {
  const name = (value as { metadata?: { name?: unknown } }).metadata?.name
  return typeof name === 'string' && name !== '' ? name : undefined
}

export async function update(api: Api, exchange: Exchange, route: ResourceRoute): Promise<string> {
  const accepted = formOf(exchange)
  const context = writeContext(exchange, route, 'UpdateOptions')
  const body = await bodyOf(api, exchange)
  const written = await api.registry.update(route.kind, keyOf(route), body, context)
  await answer(api, exchange, route, { written, accepted })
  return route.name ?? ''
}

export async function patch(api: Api, exchange: Exchange, route: ResourceRoute): Promise<string> {
  const accepted = formOf(exchange)
  const context = writeContext(exchange, route, 'PatchOptions')
  const type = patchType(exchange.request.headers['content-type'])
  const force = booleanParameter(exchange.query, 'force')
  if (type === 'apply' && !exchange.query.get('fieldManager')) {
    const why = 'Required value: is required for apply patch'
    throw invalidOption('PatchOptions', 'fieldManager', 'FieldValueRequired', why)
  }
  if (type !== 'apply' && force !== undefined) {
    const why = 'Forbidden: may not be specified for non-apply patch'
    throw invalidOption('PatchOptions', 'force', 'FieldValueForbidden', why)
  }
  const body = await decodePatch(await readBody(exchange.request, api.limits), type)
  const written = await api.registry.patch(route.kind, keyOf(route), { ...body, type, force }, context)
  await answer(api, exchange, route, { written, accepted })
  return route.name ?? ''
}

async function bodyOf(api: Api, { request }: Exchange): Promise<Body> {
  return decodeBody(await readBody(request, api.limits), request.headers['content-type'])
}

function writeContext({ query, request, user }: Exchange, route: ResourceRoute, kind: OptionsKind): WriteContext {
  const parameters = writeParameters(query, kind, request.headers['user-agent'])
  return { ...parameters, user, ...(route.subresource === 'status' && { subresource: 'status' }) }
}

/** Asked before anything is written: a caller that cannot read the answer must not have changed anything. */
const formOf = (exchange: Exchange): Accepted => acceptedForm(exchange, OBJECT_VIEWS)

interface Answer {
  readonly written: Written
  readonly accepted: Accepted
}

async function answer(
  api: Api,
  exchange: Exchange,
  route: ResourceRoute,
  { written, accepted }: Answer,
): Promise<void> {
  const code = written.created ? 201 : 200
  const headers = written.warnings.length === 0 ? undefined : warningHeaders(written.warnings)
  if (accepted.as === 'Object' && accepted.encoding === 'json') {
    return sendBytes(exchange.response, code, written.bytes, headers)
  }
  const bytes = showObject(written, shown(api, exchange, route, accepted))
  return sendEncoded(exchange.response, { code, bytes, headers }, accepted)
}
