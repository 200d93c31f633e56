import type { Resource } from '#domain/object.ts'
import { revisionOf, withRevision } from './resource-bytes.ts'
import { parseKey, type ParsedKey } from './keys.ts'
import type { Stored, WatchEvent, WatchType } from './registry.ts'
import type { ResourceCache } from './stored.ts'
import type { Change, Entry, Revision } from '#store/store.ts'

/** One change of one resource, made once and shared by everyone who hears of it; what costs is done when first asked for. */
export class SharedChange {
  readonly revision: Revision
  readonly key: string
  readonly at: ParsedKey
  /** Undefined: the object was created by this change. */
  readonly before: Stored | undefined
  /** Undefined: the object was removed by this change. */
  readonly after: Stored | undefined
  readonly #events = new Map<WatchType, WatchEvent>()

  constructor(cache: ResourceCache, change: Change) {
    const { key, revision, previous } = change
    this.revision = revision
    this.key = key
    this.at = parseKey(key)
    this.before = previous && cache.stored(new PreviousEntry(key, previous))
    this.after = change.type === 'put' ? cache.stored({ key, value: change.value, revision }) : undefined
  }

  /** `DELETED` shows the last state under this change's revision, also when the object only stopped to match. */
  event(type: WatchType): WatchEvent {
    const known = this.#events.get(type)
    if (known) return known
    const event = new LazyEvent(type, type === 'DELETED' ? this.#last() : this.after!)
    this.#events.set(type, event)
    return event
  }

  #last(): Stored {
    return new LastState(this.before!, this.revision)
  }
}

/**
 * What an object was, under the revision at which it ceased to be that. Never through the cache: to that, key and revision
 * mean the object that is there now.
 */
class LastState implements Stored {
  readonly revision: Revision
  readonly #before: Stored
  #bytes: Uint8Array | undefined
  #resource: Resource | undefined

  constructor(before: Stored, revision: Revision) {
    this.#before = before
    this.revision = revision
  }

  get bytes(): Uint8Array {
    this.#bytes ??= withRevision(this.#before.bytes, this.revision)
    return this.#bytes
  }

  get resource(): Resource {
    this.#resource ??= underVersion(this.#before.resource, String(this.revision))
    return this.#resource
  }
}

const underVersion = (resource: Resource, resourceVersion: string): Resource => ({
  ...resource,
  metadata: { ...resource.metadata, resourceVersion },
})

/** The revision of a replaced value stands in its bytes and is rarely asked for. */
class PreviousEntry implements Entry {
  readonly key: string
  readonly value: Uint8Array

  constructor(key: string, value: Uint8Array) {
    this.key = key
    this.value = value
  }

  get revision(): Revision {
    return revisionOf(this.value)
  }
}

const PREFIXES: Readonly<Record<WatchType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
}
const END = Buffer.from('}\n')

/** An event whose line is encoded when the first watcher needs it and then shared. */
export class LazyEvent implements WatchEvent {
  readonly type: WatchType
  readonly stored: Stored
  #line: Uint8Array | undefined

  constructor(type: WatchType, stored: Stored) {
    this.type = type
    this.stored = stored
  }

  get line(): Uint8Array {
    this.#line ??= Buffer.concat([PREFIXES[this.type], this.stored.bytes, END])
    return this.#line
  }
}
