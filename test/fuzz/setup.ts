import type { Kind } from '#domain/kind.ts'
import { BASE_NAME, type Case, collectionPath, DOOMED, NAMESPACE, requestBytes, type World } from './case.ts'
import { Random } from './random.ts'
import { withValueAt } from './schema-paths.ts'
import { validObjectOf } from './valid-value.ts'
import type { Wire } from './wire.ts'

/** A File is made by storing one. */
function toCreate(kind: Kind, name: string, namespace?: string): Case {
  const what = 'an object to begin with'
  if (kind.kind === 'File') {
    const headers = [['X-File-Content-Type', 'text/plain']] as const
    return {
      what,
      method: 'PUT',
      path: `/api/v1/files/${namespace ?? NAMESPACE}--${name}`,
      headers,
      body: Buffer.from('x'),
    }
  }
  const object = validObjectOf(kind, new Random(1), 0.3, name)
  const placed =
    kind.scope === 'Cluster' ? object : withValueAt(object, ['metadata', 'namespace'], namespace ?? NAMESPACE)
  return { what, method: 'POST', path: collectionPath(kind, namespace), body: Buffer.from(JSON.stringify(placed)) }
}

const WORKED = new Set([200, 201, 409])

/** Makes the objects that the cases are about, as far as they are not there. The kinds that have none all the same. */
export async function furnish(wire: Wire, world: World): Promise<readonly string[]> {
  const missing: string[] = []
  for (const kind of world.kinds) {
    const cases = [
      toCreate(kind, BASE_NAME),
      toCreate(kind, `${BASE_NAME}-2`),
      ...(kind.scope === 'Cluster' ? [] : [toCreate(kind, 'doomed', DOOMED)]),
    ]
    const [first] = await inOrder(cases, (one) => wire.send(requestBytes(one, world), one.method))
    if (!WORKED.has(first?.reply?.status ?? 0)) missing.push(`${kind.kind}: ${first?.reply?.body.toString()}`)
  }
  return missing
}

/** The world as far as the server tells: versions and continue tokens it gave out. */
export async function look(wire: Wire, world: World): Promise<World> {
  const lists = await inOrder(world.kinds, (kind) =>
    wire.send(requestBytes({ what: 'a page', method: 'GET', path: `${collectionPath(kind)}?limit=1` }, world), 'GET'),
  )
  const metadata = lists.map(({ reply }) => metadataOf(reply?.body))
  const tokens = metadata.flatMap((m) => (typeof m?.continue === 'string' ? [m.continue] : []))
  return { ...world, tokens, revision: Math.max(1, ...metadata.map((m) => Number(m?.resourceVersion ?? 1))) }
}

function metadataOf(body: Buffer | undefined): any {
  try {
    return JSON.parse(body?.toString() ?? '{}').metadata
  } catch {
    return undefined
  }
}

export async function inOrder<A, B>(list: readonly A[], act: (item: A) => Promise<B>): Promise<B[]> {
  const out: B[] = []
  for (const item of list) out.push(await act(item))
  return out
}
