import type { Kind } from '#domain/kind.ts'
import { Application } from '#domain/kinds/application/application.ts'
import { ApiSpecification } from '#domain/kinds/rover/api-specification.ts'
import type { Api, Exchange } from './exchange.ts'
import type { ResourceRoute } from './routes.ts'
import { credentials } from './verbs/credentials.ts'
import { pushDocument } from './verbs/document.ts'

/** What can be done with an object besides reading and writing it, under a path of its own. */
export interface Subresource {
  readonly kind: Kind
  readonly name: string
  readonly method: 'POST' | 'PUT'
  /** The verb in access reviews, audit and metrics. */
  readonly verb: 'create' | 'update'
  /** It decides by the object itself who may: nobody has been asked yet when it runs. */
  readonly decidesAccess?: true
  readonly run: (api: Api, exchange: Exchange, route: ResourceRoute) => Promise<string | void>
}

export const SUBRESOURCES: readonly Subresource[] = [
  { kind: Application, name: 'credentials', method: 'POST', verb: 'create', decidesAccess: true, run: credentials },
  { kind: ApiSpecification, name: 'document', method: 'PUT', verb: 'update', run: pushDocument },
]

export const subresourceOf = (kind: Kind, name: string | undefined): Subresource | undefined =>
  name === undefined
    ? undefined
    : SUBRESOURCES.find((s) => s.name === name && s.kind.kind === kind.kind && s.kind.group === kind.group)
