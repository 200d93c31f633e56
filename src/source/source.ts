import type { Kind, ResourceOf } from '#domain/kind.ts'
import type { Named, Resource } from '#domain/object.ts'

/**
 * How the engine and the data plane see resources: everything that is there, every change after it, and writes that
 * pass the same door as anyone's. Implemented by the registry in process; `src/client` follows over HTTP.
 */
export interface ResourceSource {
  /**
   * Calls `follower.snapshot` once with all resources of these kinds, then `follower.changed` with every later change, in
   * revision order and without gap, until `signal` aborts. Should the source have to start over, it calls `snapshot` again.
   */
  follow(kinds: readonly Kind[], follower: Follower, signal: AbortSignal): Promise<void>
  /** @throws StatusError AlreadyExists, Invalid, … */
  create<K extends Kind>(kind: K, resource: Draft<K>): Promise<ResourceOf<K>>
  /** Replaces metadata and spec. Needs `metadata.resourceVersion`. @throws StatusError Conflict, NotFound, Invalid */
  update<K extends Kind>(kind: K, resource: ResourceOf<K>): Promise<ResourceOf<K>>
  /** Replaces the status. @throws StatusError Conflict, NotFound, Invalid */
  updateStatus<K extends Kind>(kind: K, resource: ResourceOf<K>): Promise<ResourceOf<K>>
  /** @throws StatusError NotFound, Conflict when a precondition does not hold */
  delete(kind: Kind, ref: Named, preconditions?: Preconditions): Promise<void>
  /** The clear text behind a secret reference; only actuators and the data-plane feed ask for it. */
  resolveSecret(reference: string): Promise<string | undefined>
  /** The text of a stored file; only actuators ask for it. Undefined when there is none. */
  readFile(id: string): Promise<string | undefined>
}

export interface Follower {
  snapshot(resources: readonly Resource[]): void
  changed(changes: readonly ResourceChange[]): void
}

export interface ResourceChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly resource: Resource
}

/** A resource to create: the server adds what it owns. */
export type Draft<K extends Kind> = Omit<ResourceOf<K>, 'apiVersion' | 'kind' | 'status'>

export interface Preconditions {
  readonly uid?: string | undefined
  readonly resourceVersion?: string | undefined
}
