import { notFound } from '#domain/errors.ts'
import type { Kind } from '#domain/kind.ts'
import { systemClock, type Clock } from '#lib/clock.ts'
import type { Store } from '#store/store.ts'
import { createResource } from './create.ts'
import { deleteCollection } from './delete-collection.ts'
import { deleteResource } from './deletion.ts'
import { resourceKey } from './keys.ts'
import { indexKinds } from './kind-table.ts'
import { listResources } from './list.ts'
import { modifyResource } from './modify.ts'
import { Namespaces } from './namespaces.ts'
import type { Parts } from './parts.ts'
import { proposePatch } from './patch.ts'
import type { Key, Registry, Stored } from './registry.ts'
import { secretBox } from './secret-box.ts'
import { SecretVault } from './secrets.ts'
import { ResourceCache } from './stored.ts'
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

/** Serves the kinds from the store. Closing the registry leaves the store open. */
export function createRegistry({ store, kinds, secretKey, clock = systemClock }: RegistryOptions): Registry {
  const cache = new ResourceCache()
  const parts: Parts = {
    store,
    cache,
    clock,
    kinds: indexKinds(kinds),
    vault: new SecretVault(store, secretBox(secretKey)),
  }
  const hub = new WatchHub(parts)
  const namespaces = new Namespaces(parts)
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
      modifyResource(parts, { kind, key, context, propose: proposePatch(kind, patch), patch: true }),
    delete: (kind, key, options, context) => deleteResource(parts, { kind, key, options, context }),
    deleteCollection: (kind, options, deletion, context) =>
      deleteCollection(parts, { kind, options, deletion, context }),
    watch: (kind, options, sink) => watchResources({ shelf: parts, hub, kind, options, sink }),
    resolveSecret: (reference) => Promise.resolve(parts.vault.resolve(reference)),
    close: () => hub.close(),
  }
}

/** @throws StatusError NotFound */
function getResource({ store, cache }: Parts, kind: Kind, key: Key): Stored {
  const entry = store.get(resourceKey(kind, key))
  if (!entry) throw notFound(kind, key.name)
  return cache.stored(entry)
}
