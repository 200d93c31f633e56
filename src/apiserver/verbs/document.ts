import { badRequest, invalid, type StatusError } from '#domain/errors.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import { namelessBasePath, specificationName } from '#domain/openapi-document/extract.ts'
import type { Problem } from '#domain/openapi-document/parts.ts'
import type { Api, Exchange } from '#apiserver/exchange.ts'
import { DescriptionReader } from '#apiserver/openapi/description-reader.ts'
import { writeParameters } from '#apiserver/parameters.ts'
import { readBody } from '#apiserver/read-body.ts'
import { sendBytes, warningHeaders } from '#apiserver/respond.ts'
import type { ResourceRoute } from '#apiserver/routes.ts'
import { LARGEST_FILE } from '#registry/files/files.ts'
import { pushSpecification } from '#registry/files/push-specification.ts'
import { keyOf } from './read.ts'

const reader = new DescriptionReader()

/** PUT …/apispecifications/<name>/document: registers an OpenAPI document as it is (platform §2.1.5). */
export async function pushDocument(api: Api, exchange: Exchange, route: ResourceRoute): Promise<string> {
  const { request, response, query, user } = exchange
  const key = keyOf(route)
  const parameters = writeParameters(query, 'UpdateOptions', request.headers['user-agent'])
  const bytes = await readBody(request, api.limits, LARGEST_FILE)
  const reading = await reader.read(bytes)
  if (!reading.ok) throw refusal(key.name, reading.problems)
  checkName(key.name, reading.description.basepath)
  const content = { bytes, contentType: `application/${reading.format}` }
  const context = { ...parameters, user }
  const described = { description: reading.description, findings: reading.findings }
  const written = await pushSpecification(api.registry, { key, content, ...described, context })
  sendBytes(response, written.created ? 201 : 200, written.bytes, warningHeaders(written.warnings))
  return key.name
}

/** @throws StatusError BadRequest */
function checkName(name: string, basepath: string): void {
  const wanted = specificationName(basepath)
  if (wanted === name) return
  if (wanted === undefined) throw badRequest(namelessBasePath(basepath))
  throw badRequest(
    `the base path ${JSON.stringify(basepath)} belongs to ApiSpecification ${wanted}, not ${name}: send it to ${wanted}, or change the base path`,
  )
}

/** Where something in the document is wrong, the answer says where; what is no description at all is malformed. */
function refusal(name: string, problems: readonly Problem[]): StatusError {
  const [first] = problems
  if (first === undefined || ['', 'openapi', 'swagger'].includes(first.field))
    return badRequest(first?.message ?? 'the document cannot be read')
  const causes = problems.map(({ field, message }) => ({ reason: 'FieldValueInvalid' as const, field, message }))
  return invalid(ApiSpecification, name, causes)
}
