import { setImmediate as nextTurn } from 'node:timers/promises'
import { isStatus } from '#domain/errors.ts'
import { apiVersionOf, type Kind, type ResourceOf, type User } from '#domain/kind.ts'
import type { Named, Resource } from '#domain/object.ts'
import type { Follower, Preconditions, ResourceChange, ResourceSource, Transaction } from '#source/source.ts'
import type { Registry, WriteContext } from './registry.ts'
import type { SharedChange } from './shared-change.ts'
import { unmanaged } from './unmanaged.ts'

/** Resources parsed before others get a turn. */
const SLICE = 200

/** What the source needs of a registry besides its door. */
export interface FollowableRegistry extends Registry {
  /** The resources of these kinds now and every later transaction that touches one of them, without gap. */
  follow(kinds: readonly Kind[], changed: (changes: readonly SharedChange[]) => void): Promise<Followed>
  begin(context: WriteContext): Transaction
}

export interface Followed {
  readonly state: readonly { readonly resource: Resource }[]
  close(): void
}

/** The registry in process as a source: the same door as everyone's, with the rights of `user`. */
export function registrySource(registry: FollowableRegistry, user: User): ResourceSource {
  const context: WriteContext = { user, fieldValidation: 'Ignore' }
  const bodyOf = (kind: Kind, resource: object): { value: unknown; duplicates: readonly string[] } => ({
    value: { ...resource, apiVersion: apiVersionOf(kind), kind: kind.kind },
    duplicates: [],
  })
  const keyOf = ({ metadata }: Resource): Named => ({ namespace: metadata.namespace ?? '', name: metadata.name })
  const update = async <K extends Kind>(
    kind: K,
    resource: ResourceOf<K>,
    how: WriteContext,
  ): Promise<ResourceOf<K>> => {
    const written = await registry.update(kind, keyOf(resource), bodyOf(kind, resource), how)
    return unmanaged(written.resource) as ResourceOf<K>
  }
  return {
    follow: (kinds, follower, signal) => follow(registry, kinds, follower, signal),
    begin: () => registry.begin(context),
    create: async (kind, draft) => {
      const { metadata } = draft as unknown as Resource
      const written = await registry.create(kind, metadata.namespace ?? '', bodyOf(kind, draft), context)
      return unmanaged(written.resource) as ResourceOf<typeof kind>
    },
    update: (kind, resource) => update(kind, resource, context),
    updateStatus: (kind, resource) => update(kind, resource, { ...context, subresource: 'status' }),
    delete: async (kind: Kind, ref: Named, preconditions?: Preconditions) => {
      await registry.delete(kind, ref, { propagationPolicy: 'Background', preconditions }, context)
    },
    resolveSecret: (reference) => registry.resolveSecret(reference),
    readFile: async (id) => textOf(registry, id),
  }
}

/** Changes wait while the state is being parsed, so that the engine hears everything in order. */
async function follow(
  registry: FollowableRegistry,
  kinds: readonly Kind[],
  follower: Follower,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return
  let held: (readonly SharedChange[])[] | undefined = []
  const followed = await registry.follow(kinds, (changes) => {
    if (held) held.push(changes)
    else follower.changed(changes.map(asChange))
  })
  const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  try {
    const resources: Resource[] = []
    for (const [i, stored] of followed.state.entries()) {
      if (i % SLICE === SLICE - 1) await nextTurn()
      resources.push(unmanaged(stored.resource))
    }
    if (signal.aborted) return
    follower.snapshot(resources)
    for (const changes of held) follower.changed(changes.map(asChange))
    held = undefined
    await aborted
  } finally {
    followed.close()
  }
}

function textOf(registry: FollowableRegistry, id: string): string | undefined {
  try {
    return Buffer.from(registry.files.get(id).bytes).toString()
  } catch (error) {
    if (isStatus(error, 'NotFound') || isStatus(error, 'BadRequest')) return undefined
    throw error
  }
}

function asChange(change: SharedChange): ResourceChange {
  const type = !change.after ? 'DELETED' : change.before ? 'MODIFIED' : 'ADDED'
  return { type, resource: unmanaged(change.event(type).stored.resource) }
}
