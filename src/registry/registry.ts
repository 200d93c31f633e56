import type { Kind, User } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import type { Op, Revision } from '#store/store.ts'
import type { Files } from './files/files.ts'
import type { Selector } from './selector.ts'

/**
 * The one door: every read and write of resources, ours too, passes here. All failures are StatusErrors.
 *
 * Resources handed out are shared and frozen by convention: never change them.
 */
export interface Registry {
  readonly kinds: KindTable
  /** Newest durable revision. */
  readonly revision: Revision
  /** @throws StatusError NotFound */
  get(kind: Kind, key: Key): Stored
  list(kind: Kind, options: ListOptions): Promise<Listed>
  create(kind: Kind, namespace: string, body: Body, context: WriteContext): Promise<Written>
  /** `subresource: 'status'` writes the status alone; without it everything but the status. */
  update(kind: Kind, key: Key, body: Body, context: WriteContext): Promise<Written>
  patch(kind: Kind, key: Key, patch: PatchBody, context: WriteContext): Promise<Written>
  delete(kind: Kind, key: Key, options: DeleteOptions, context: WriteContext): Promise<Deleted>
  deleteCollection(kind: Kind, options: ListOptions, deletion: DeleteOptions, context: WriteContext): Promise<Listed>
  /**
   * Rejects when the watch cannot be served (400, 410 Expired, 504). Without a version, or with version 0, it begins with
   * the current state, unless `sendInitialEvents` is false. The first events may come before the promise settles.
   */
  watch(kind: Kind, options: WatchOptions, sink: WatchSink): Promise<{ close(): void }>
  /** The clear text behind a secret reference. Callers authorise and audit. */
  resolveSecret(reference: string): Promise<string | undefined>
  readonly files: Files
  /** Ends all watches and the work in the background; the store stays open. */
  close(): Promise<void>
}

export interface KindTable {
  readonly all: readonly Kind[]
  find(group: string, version: string, plural: string): Kind | undefined
  ofKind(apiVersion: string, kind: string): Kind | undefined
}

/** `namespace` is '' for cluster-scoped kinds. */
export interface Key {
  readonly namespace: string
  readonly name: string
}

/** An object as stored: the bytes that are sent, and the parsed form when someone needs it. */
export interface Stored {
  readonly bytes: Uint8Array
  readonly revision: Revision
  readonly resource: Resource
}

/** A decoded request body and the paths of keys it had twice. */
export interface Body {
  readonly value: unknown
  readonly duplicates: readonly string[]
}

export interface WriteContext {
  readonly user: User
  readonly dryRun?: boolean | undefined
  /** Default: Warn. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined
  readonly fieldManager?: string | undefined
  readonly subresource?: 'status' | undefined
  /** Happens with the write, or neither happens. */
  readonly beside?: readonly Op[] | undefined
}

export interface PatchBody extends Body {
  readonly type: 'json' | 'merge' | 'strategic' | 'apply'
  readonly force?: boolean | undefined
}

export interface Written extends Stored {
  readonly warnings: readonly string[]
  readonly created: boolean
}

export interface DeleteOptions {
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined
}

/** `gone`: removed now. Otherwise the object stays, marked for deletion, until its finalizers are gone. */
export interface Deleted extends Stored {
  readonly gone: boolean
}

export interface ListOptions {
  /** undefined: across namespaces. */
  readonly namespace?: string | undefined
  readonly labels?: Selector | undefined
  readonly fields?: Selector | undefined
  readonly limit?: number | undefined
  readonly continue?: string | undefined
  readonly resourceVersion?: string | undefined
  readonly resourceVersionMatch?: 'NotOlderThan' | 'Exact' | undefined
}

export interface Listed {
  readonly items: readonly Stored[]
  /** The same, where it may be very many: whoever goes through them once needs no list of them. */
  readonly whole?: Whole | undefined
  readonly revision: Revision
  readonly continue?: string | undefined
  readonly remaining?: number | undefined
}

export interface Whole extends Iterable<Stored> {
  readonly count: number
  readonly bytes: number
}

export interface WatchOptions extends Omit<ListOptions, 'limit' | 'continue'> {
  /** Send the current objects first, then a bookmark that says they are complete. */
  readonly sendInitialEvents?: boolean | undefined
}

export type WatchType = 'ADDED' | 'MODIFIED' | 'DELETED'

export interface WatchEvent {
  readonly type: WatchType
  readonly stored: Stored
  /** The event as a JSON line, encoded once for all watchers. */
  readonly line: Uint8Array
}

/** Called in revision order; must not throw. `expired` ends the watch: the client has to list again. */
export interface WatchSink {
  event(event: WatchEvent): void
  /** Everything up to this revision has been handed over (after the initial events and the replay). */
  caughtUp(revision: Revision): void
  expired(message: string): void
}
