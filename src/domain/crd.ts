import type { Column, Kind } from './kind.ts'
import { ENVELOPE_DOCS, type OpenApiSchema, structuralSchema } from './structural-schema.ts'

/** An `apiextensions.k8s.io/v1` CustomResourceDefinition, as data. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1'
  readonly kind: 'CustomResourceDefinition'
  readonly metadata: { readonly name: string }
  readonly spec: OpenApiSchema
}

/** The CRD with which a Kubernetes cluster serves the kind and refuses what our own server refuses. */
export function crdOf(kind: Kind): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${kind.group}` },
    spec: {
      group: kind.group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
        ...(kind.categories.length > 0 && { categories: kind.categories }),
      },
      scope: kind.scope,
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: kind.columns.map(printerColumn),
          schema: { openAPIV3Schema: rootSchema(kind) },
        },
      ],
    },
  }
}

function printerColumn(column: Column): OpenApiSchema {
  return {
    name: column.name,
    type: column.type,
    jsonPath: column.path,
    ...(column.doc !== undefined && { description: column.doc }),
    ...(column.priority === 1 && { priority: 1 }),
  }
}

function rootSchema(kind: Kind): OpenApiSchema {
  const dialect = { of: 'crd', preserveAll: kind.preserveUnknown } as const
  return {
    description: kind.doc,
    type: 'object',
    properties: {
      apiVersion: { type: 'string', description: ENVELOPE_DOCS.apiVersion },
      kind: { type: 'string', description: ENVELOPE_DOCS.kind },
      metadata: { type: 'object' },
      spec: structuralSchema(kind.spec, dialect),
      status: structuralSchema(kind.status, dialect),
    },
    required: kind.specRequired ? ['metadata', 'spec'] : ['metadata'],
    ...(kind.preserveUnknown && { 'x-kubernetes-preserve-unknown-fields': true }),
  }
}
