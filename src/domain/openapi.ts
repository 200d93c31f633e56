import type { Kind } from './kind.ts'
import { ENVELOPE_DOCS, type OpenApiSchema, structuralSchema } from './structural-schema.ts'

export interface OpenApiOptions {
  /** `v3` unless given; `v2` for `/openapi/v2`, which old clients validate against. */
  readonly version?: 'v2' | 'v3'
}

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'

/**
 * The schema of a kind for the OpenAPI documents, from which `kubectl explain` and client-side validation read. It
 * refers to ObjectMeta, which the document around it has to define.
 */
export function openApiSchemaOf(kind: Kind, options: OpenApiOptions = {}): OpenApiSchema {
  const of = options.version ?? 'v3'
  const gvk = [{ group: kind.group, version: kind.version, kind: kind.kind }]
  const head = { description: kind.doc, type: 'object' }
  if (of === 'v2' && kind.preserveUnknown) return { ...head, 'x-kubernetes-group-version-kind': gvk }
  const dialect = { of, preserveAll: kind.preserveUnknown }
  return {
    ...head,
    properties: {
      apiVersion: { type: 'string', description: ENVELOPE_DOCS.apiVersion },
      kind: { type: 'string', description: ENVELOPE_DOCS.kind },
      metadata: metadataSchema(of),
      spec: structuralSchema(kind.spec, dialect),
      status: structuralSchema(kind.status, dialect),
    },
    ...(kind.specRequired && { required: ['spec'] }),
    ...(kind.preserveUnknown && { 'x-kubernetes-preserve-unknown-fields': true }),
    'x-kubernetes-group-version-kind': gvk,
  }
}

/** The key of the kind's schema in a document: `de.vendor.ei.cp.event.v1.EventType`. */
export const definitionName = (kind: Pick<Kind, 'group' | 'version' | 'kind'>): string =>
  [...kind.group.split('.').toReversed(), kind.version, kind.kind].join('.')

function metadataSchema(of: 'v2' | 'v3'): OpenApiSchema {
  const description = ENVELOPE_DOCS.metadata
  if (of === 'v2') return { description, $ref: `#/definitions/${OBJECT_META}` }
  return { description, allOf: [{ $ref: `#/components/schemas/${OBJECT_META}` }] }
}
