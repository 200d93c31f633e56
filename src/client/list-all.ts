import { apiVersionOf, type Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import type { ApiConnection } from './api-connection.ts'
import { ApiFailure } from './api-failure.ts'

const PAGE = 500

export interface Listed {
  readonly resources: readonly Resource[]
  /** Of the state all of them are from: where a watch begins. */
  readonly version: string
}

interface Page {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly items: readonly Resource[]
}

/** The path of all resources of a kind. */
export const collectionPath = (kind: Kind): string =>
  `/${kind.group === '' ? 'api' : 'apis'}/${apiVersionOf(kind)}/${kind.plural}`

/**
 * All resources of a kind, page by page; `version` is '0' for any state, '' for the newest, otherwise for one at least as
 * new. A list that outlives the history of the server is asked for again in one piece.
 */
export async function listAll(
  connection: ApiConnection,
  kind: Kind,
  version: string,
  signal: AbortSignal,
): Promise<Listed> {
  const page = (query: Record<string, string>): Promise<Page> =>
    connection.get(`${collectionPath(kind)}?${new URLSearchParams(query).toString()}`, signal) as Promise<Page>
  const from = version === '' ? {} : { resourceVersion: version }
  let { items, metadata } = await page({ ...from, limit: String(PAGE) })
  const resources = [...items]
  while (metadata.continue) {
    try {
      ;({ items, metadata } = await page({ limit: String(PAGE), continue: metadata.continue }))
    } catch (error) {
      if (!(error instanceof ApiFailure) || !error.expired) throw error
      const whole = await page({})
      return { resources: whole.items, version: whole.metadata.resourceVersion }
    }
    for (const item of items) resources.push(item)
  }
  return { resources, version: metadata.resourceVersion }
}
