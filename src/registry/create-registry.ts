import { notFound } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import { systemClock, type Clock } from '#lib/clock.ts'
import type { Store } from '#store/store.ts'
import { applyResource } from './apply/apply-resource.ts'
import { createResource } from './create.ts'
import { deleteCollection } from './delete-collection.ts'
import { deleteResource } from './deletion.ts'
import { FileSweeper } from './files/file-sweeper.ts'
import { createFiles } from './files/files.ts'
import { GarbageCollector } from './garbage-collector.ts'
import { kindPrefix, resourceKey } from './keys.ts'
import { indexKinds } from './kind-table.ts'
import { listResources } from './list.ts'
import { modifyResource } from './modify.ts'
import { NamespaceEmptier } from './namespace-emptier.ts'
import { Namespaces } from './namespaces.ts'
import type { Parts } from './parts.ts'
import { proposePatch } from './patch.ts'
import type { Key, Stored } from './registry.ts'
import { secretBox } from './secret-box.ts'
import { SecretSweeper } from './secret-sweeper.ts'
import { SecretUse } from './secret-use.ts'
import { SecretVault } from './secrets.ts'
import type { Followed, FollowableRegistry } from './source.ts'
import { ResourceCache } from './stored.ts'
import type { SharedChange } from './shared-change.ts'
import { ResourceTransaction } from './transaction.ts'
import { watchResources } from './watch.ts'
import { WatchHub } from './watch-hub.ts'

export interface RegistryOptions {
  readonly store: Store
  /** Must include the core Namespace. */
  readonly kinds: readonly Kind[]
  /** 32 bytes that encrypt the secrets; the same ones every time the same store is opened. */
  readonly secretKey: Uint8Array
  readonly clock?: Clock | undefined
}

/** A registry and the work it does on its own: garbage collection, emptying namespaces, removing what nobody uses. */
export interface RunningRegistry extends FollowableRegistry {
  /** Resolves when that work has nothing left to do. */
  settled(): Promise<void>
}

/** Serves the kinds from the store. Closing the registry leaves the store open. */
export function createRegistry({ store, kinds, secretKey, clock = systemClock }: RegistryOptions): RunningRegistry {
  const cache = new ResourceCache()
  const use = new SecretUse(clock)
  const parts: Parts = {
    store,
    cache,
    clock,
    kinds: indexKinds(kinds),
    vault: new SecretVault(store, secretBox(secretKey), use),
  }
  const hub = new WatchHub(parts)
  const namespaces = new Namespaces(parts)
  const collector = new GarbageCollector(parts)
  const emptier = new NamespaceEmptier(parts, namespaces)
  const sweeper = new FileSweeper(parts)
  const secrets = new SecretSweeper(parts, use)
  for (const worker of [collector, emptier, sweeper]) hub.follow((changes) => worker.changed(changes))
  return {
    kinds: parts.kinds,
    get revision() {
      return store.revision
    },
    get: (kind, key) => getResource(parts, kind, key),
    list: (kind, options) => listResources(parts, kind, options),
    create: (kind, namespace, body, context) => createResource(parts, namespaces, { kind, namespace, body, context }),
    update: (kind, key, body, context) =>
      modifyResource(parts, { kind, key, context, propose: () => body, patch: false }),
    patch: async (kind, key, patch, context) =>
      patch.type === 'apply'
        ? applyResource(parts, namespaces, { kind, key, patch, context })
        : modifyResource(parts, { kind, key, context, propose: proposePatch(kind, patch), patch: true }),
    delete: (kind, key, options, context) => deleteResource(parts, { kind, key, options, context }),
    deleteCollection: (kind, options, deletion, context) =>
      deleteCollection(parts, { kind, options, deletion, context }),
    watch: (kind, options, sink) => watchResources({ shelf: parts, hub, kind, options, sink }),
    resolveSecret: (reference) => Promise.resolve(parts.vault.resolve(reference)),
    files: createFiles(parts, namespaces),
    begin: (context) => new ResourceTransaction(parts, namespaces, context),
    follow: (followed, changed) => followKinds(parts, hub, followed, changed),
    settled: async () => {
      const workers = [collector, emptier, sweeper, secrets]
      do await Promise.all(workers.map((worker) => worker.settled()))
      while (workers.some((worker) => !worker.idle))
    },
    close: async () => {
      await Promise.all([collector.close(), emptier.close(), sweeper.settled(), secrets.close()])
      await hub.close()
    },
  }
}

/** @throws StatusError NotFound */
function getResource({ store, cache }: Parts, kind: Kind, key: Key): Stored {
  const entry = store.get(resourceKey(kind, key))
  if (!entry) throw notFound(kind, key.name)
  return cache.stored(entry)
}

/** State and subscription are taken in one turn; a transaction published in this very turn is part of the state. */
async function followKinds(
  { store, cache }: Parts,
  hub: WatchHub,
  kinds: readonly Kind[],
  changed: (changes: readonly SharedChange[]) => void,
): Promise<Followed> {
  await hub.ready()
  const prefixes = new Set(kinds.map(kindPrefix))
  const { revision } = store
  const state = [...prefixes].flatMap((prefix) => [...store.entries(prefix)].map((entry) => cache.stored(entry)))
  const subscription = hub.follow((changes) => {
    const ours = changes.filter((change) => change.revision > revision && prefixes.has(change.at.kind))
    if (ours.length > 0) changed(ours)
  })
  return { state, close: () => subscription.close() }
}
