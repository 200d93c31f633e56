import { apiVersionOf, type Kind } from '#domain/kind.ts'
import { encodeOpenApiV2 } from './openapi-v2.ts'
import { pathsOf } from './openapi-paths.ts'
import { openApiSchemas } from './openapi-schemas.ts'
import { fixed, fixedDocument, fixedJson, sendFixed, type Document, type Fixed } from './document.ts'

/** What kubectl validates, explains and asks for capabilities with: version 3 by group, version 2 as one document. */
export function openApiDocuments(kinds: readonly Kind[], version: string): Map<string, Document> {
  const documents = new Map<string, Document>()
  const parts = new Map<string, () => Fixed>()
  for (const apiVersion of new Set(kinds.map(apiVersionOf))) {
    const own = kinds.filter((kind) => apiVersionOf(kind) === apiVersion)
    const path = apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`
    const content = once(() => fixedJson(documentOf(own, version)))
    parts.set(path, content)
    documents.set(`/openapi/v3/${path}`, { methods: ['GET'], serve: (exchange) => sendFixed(exchange, content()) })
  }
  documents.set(
    '/openapi/v3',
    fixedDocument(() => fixedJson(index(parts))),
  )
  documents.set(
    '/openapi/v2',
    fixedDocument(() => fixed(encodeOpenApiV2(kinds, version), V2_TYPE)),
  )
  return documents
}

/** Not what kubectl asks for, which has an @ in it: Go cannot parse its own media type. */
const V2_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

function index(parts: ReadonlyMap<string, () => Fixed>): object {
  const entries = [...parts].map(([path, content]) => [
    path,
    { serverRelativeURL: `/openapi/v3/${path}?hash=${content().hash}` },
  ])
  return { paths: Object.fromEntries(entries) }
}

const documentOf = (kinds: readonly Kind[], version: string): object => ({
  openapi: '3.0.0',
  info: { title: 'Stellwerk', version },
  paths: pathsOf(kinds),
  components: { schemas: openApiSchemas(kinds, 'v3') },
})

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}
