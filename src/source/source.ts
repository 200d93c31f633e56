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
  /** Begins writes that are stored together. */
  begin(): Transaction
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

/**
 * Writes one on top of the other, answered at once as the server would answer them, and then stored all together or not at
 * all. An object written several times is stored once. The versions in the answers are good for further writes here only;
 * the stored ones come with the news.
 */
export interface Transaction {
  /** @throws StatusError AlreadyExists, Invalid, … */
  create(kind: Kind, resource: Pick<Resource, 'metadata' | 'spec'>): Resource
  /** Undefined: it was its last finalizer, and the object is gone. @throws StatusError Conflict, NotFound, Invalid */
  update(kind: Kind, resource: Resource): Resource | undefined
  /** @throws StatusError Conflict, NotFound, Invalid */
  updateStatus(kind: Kind, resource: Resource): Resource | undefined
  /** What is left to wait for; undefined: it is gone. @throws StatusError NotFound, Conflict */
  delete(kind: Kind, ref: Named, preconditions: Preconditions): Resource | undefined
  /** Once, at the end. Names an object somebody else was faster with; then nothing was stored. @throws StatusError ServiceUnavailable */
  commit(): Promise<Refused | undefined>
}

export interface Refused {
  readonly kind: Kind
  readonly ref: Named
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
