import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kind } from '#domain/kind.ts'
import { Compacted, FutureRevision, type Page, type Snapshot, type Store } from '#store/store.ts'
import { readToken, writeToken } from './continue-token.ts'
import { compileFilter, type Filter } from './filter.ts'
import { kindPrefix, namespacePrefix, parseKey, resourceKey } from './keys.ts'
import type { Listed, ListOptions, Stored, Whole } from './registry.ts'
import { checkVersionOptions, expired, ExpiredToken, parseResourceVersion, refuseFuture } from './resource-version.ts'
import type { ResourceCache } from './stored.ts'

export interface Shelf {
  readonly store: Store
  readonly cache: ResourceCache
}

/** Objects looked at before others get a turn: about two milliseconds of searching. */
const SLICE = 1000
/** Keys read at a time when a selector thins out a limited page. */
const CHUNK = 2000

const TOO_OLD = 'The resourceVersion for the provided list is too old.'
const TOKEN_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.'

export async function listResources(shelf: Shelf, kind: Kind, options: ListOptions): Promise<Listed> {
  checkVersionOptions(options)
  const filter = compileFilter(kind, options)
  const version = parseResourceVersion(options.resourceVersion)
  if (version !== undefined) refuseFuture(version, shelf.store.revision)
  const limit = options.limit !== undefined && options.limit > 0 ? options.limit : undefined
  if (options.continue) {
    const { revision, after } = readToken(options.continue)
    refuseFuture(revision, shelf.store.revision)
    return read(shelf, { kind, filter, limit, at: revision || undefined, after })
  }
  const at = options.resourceVersionMatch === 'Exact' ? version : undefined
  const one = at === undefined ? singleKey(kind, filter) : undefined
  if (one !== undefined) return lookUp(shelf, one, filter)
  return read(shelf, { kind, filter, limit, at, after: undefined })
}

/** The prefix of everything in scope. */
export const scopeOf = (kind: Kind, { namespace }: Pick<Filter, 'namespace'>): string =>
  namespace === undefined ? kindPrefix(kind) : namespacePrefix(kind, namespace)

/** The one key that can match, if name and namespace are given. */
export function singleKey(kind: Kind, { name, namespace }: Filter): string | undefined {
  if (name === undefined) return undefined
  if (kind.scope === 'Cluster') return resourceKey(kind, { namespace: '', name })
  return namespace === undefined ? undefined : resourceKey(kind, { namespace, name })
}

function lookUp({ store, cache }: Shelf, key: string, filter: Filter): Listed {
  const entry = store.get(key)
  const stored = entry && cache.stored(entry)
  return { items: stored && filter.matches(stored) ? [stored] : [], revision: store.revision }
}

interface Query {
  readonly kind: Kind
  readonly filter: Filter
  readonly limit: number | undefined
  readonly at: number | undefined
  readonly after: string | undefined
}

async function read(shelf: Shelf, query: Query): Promise<Listed> {
  try {
    return query.filter.everything ? await readAll(shelf, query) : await readMatching(shelf, query)
  } catch (error) {
    if (error instanceof Compacted) throw tooOld(query)
    if (error instanceof FutureRevision) refuseFuture(query.at ?? 0, shelf.store.revision)
    throw error
  }
}

const tooOld = ({ after }: Query): Error =>
  after === undefined ? expired(TOO_OLD) : new ExpiredToken(TOKEN_TOO_OLD, writeToken({ revision: 0, after }))

const pageOf = (
  { store }: Shelf,
  { kind, filter, at }: Query,
  after: string | undefined,
  limit: number | undefined,
): Promise<Page> => {
  const prefix = scopeOf(kind, filter)
  return store.list(prefix, { after: after === undefined ? undefined : prefix + after, limit, at })
}

const tokenAfter = ({ kind, filter }: Query, revision: number, key: string): string =>
  writeToken({ revision, after: key.slice(scopeOf(kind, filter).length) })

/** Everything there is, made as it is looked at. */
class WholeListed implements Listed {
  readonly revision: number
  readonly whole: Whole
  #items: readonly Stored[] | undefined

  constructor(snapshot: Snapshot, cache: ResourceCache) {
    this.revision = snapshot.revision
    this.whole = { count: snapshot.count, bytes: snapshot.bytes, [Symbol.iterator]: () => storedIn(snapshot, cache) }
  }

  get items(): readonly Stored[] {
    return (this.#items ??= [...this.whole])
  }
}

function* storedIn(snapshot: Snapshot, cache: ResourceCache): Generator<Stored> {
  for (const entry of snapshot) yield cache.stored(entry)
}

/** The newest state, all at once. */
const isWhole = ({ limit, at, after }: Query): boolean => limit === undefined && at === undefined && after === undefined

async function readAll(shelf: Shelf, query: Query): Promise<Listed> {
  if (isWhole(query)) return new WholeListed(shelf.store.snapshot(scopeOf(query.kind, query.filter)), shelf.cache)
  const page = await pageOf(shelf, query, query.after, query.limit)
  const items = page.entries.map((entry) => shelf.cache.stored(entry))
  const last = page.entries.at(-1)
  if (page.remaining === 0 || !last) return { items, revision: page.revision }
  return {
    items,
    revision: page.revision,
    continue: tokenAfter(query, page.revision, last.key),
    remaining: page.remaining,
  }
}

/** All that match: looked for in a snapshot, so that only they are made. */
async function readAllMatching(shelf: Shelf, { kind, filter }: Query): Promise<Listed> {
  const snapshot = shelf.store.snapshot(scopeOf(kind, filter))
  const items: Stored[] = []
  let seen = 0
  for (const entry of snapshot) {
    if (++seen % SLICE === 0) await nextTurn()
    const stored = matching(shelf, filter, entry)
    if (stored) items.push(stored)
  }
  return { items, revision: snapshot.revision }
}

async function readMatching(shelf: Shelf, query: Query): Promise<Listed> {
  const { limit, filter } = query
  if (isWhole(query)) return readAllMatching(shelf, query)
  const items: Stored[] = []
  let { at, after } = query
  for (;;) {
    const page = await pageOf(shelf, { ...query, at }, after, limit === undefined ? undefined : Math.max(limit, CHUNK))
    at = page.revision
    for (const [i, entry] of page.entries.entries()) {
      if (i % SLICE === SLICE - 1) await nextTurn()
      const stored = matching(shelf, filter, entry)
      if (stored) items.push(stored)
      const more = i + 1 < page.entries.length || page.remaining > 0
      if (items.length === limit && more) return { items, revision: at, continue: tokenAfter(query, at, entry.key) }
    }
    const last = page.entries.at(-1)
    if (page.remaining === 0 || !last) return { items, revision: at }
    after = last.key.slice(scopeOf(query.kind, filter).length)
  }
}

function matching({ cache }: Shelf, filter: Filter, entry: Page['entries'][number]): Stored | undefined {
  if (filter.name !== undefined && parseKey(entry.key).name !== filter.name) return undefined
  const stored = cache.stored(entry)
  return filter.matches(stored) ? stored : undefined
}
