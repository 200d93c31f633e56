import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kind } from '#domain/kind.ts'
import { decodeTrusted } from '#lib/json.ts'
import { type Entry, type Revision, StoreUnavailable } from '#store/store.ts'
import { parseKey, RESOURCE_ROOT, SECRET_ROOT, secretKey } from './keys.ts'
import type { Parts } from './parts.ts'
import { mayHold } from './resource-bytes.ts'
import { idsIn, isSecretId, referenceId } from './secrets.ts'
import { secretsIn, secretTree } from './secret-tree.ts'
import type { SecretUse } from './secret-use.ts'

/** From the first secret somebody let go of, and from the start of the process, to the look for those nobody refers to. */
export const LOOK_AFTER_MS = 60_000
const PAGE = 100
const SLICE_MS = 0.5
const REFERENCE = Buffer.from('$<')

/**
 * Removes sealed values that no object refers to any more: planners copy references, so a value outlives the object it was
 * given to for as long as anybody holds its reference.
 *
 * A value is removed when it was there before the look began, no stored object was seen with its reference, and none was
 * lent it since (or shortly before, which may not have been stored when the look came by). References only spread by
 * lending: what an object held already, it can keep only if it was not changed meanwhile.
 */
export class SecretSweeper {
  readonly #parts: Parts
  readonly #use: SecretUse
  #look: Promise<void> | undefined
  #cancel: (() => void) | undefined
  #again = false
  #closed = false

  constructor(parts: Parts, use: SecretUse) {
    this.#parts = parts
    this.#use = use
    use.dropped = () => this.#plan()
    if (parts.store.count(SECRET_ROOT) > 0) this.#plan()
  }

  get idle(): boolean {
    return this.#look === undefined
  }

  async settled(): Promise<void> {
    while (this.#look) await this.#look
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancel?.()
    this.#cancel = undefined
    await this.settled()
  }

  #plan(): void {
    if (this.#look) this.#again = true
    if (this.#look || this.#cancel || this.#closed) return
    const { clock } = this.#parts
    this.#cancel = clock.setTimer(clock.now() + LOOK_AFTER_MS, () => this.#begin())
  }

  #begin(): void {
    this.#cancel = undefined
    this.#again = false
    this.#use.hold(true)
    // A store that takes no writes will take them later; what else fails is found again after the next start.
    this.#look = this.#sweep()
      .catch((error: unknown) => void (this.#again ||= error instanceof StoreUnavailable))
      .finally(() => {
        this.#use.hold(false)
        this.#look = undefined
        if (this.#again) this.#plan()
      })
  }

  async #sweep(): Promise<void> {
    const unused = await this.#sealed(this.#parts.store.revision)
    await this.#strike(unused)
    const ids = [...unused.keys()]
    for (let i = 0; i < ids.length && !this.#closed; i += PAGE) await this.#remove(ids.slice(i, i + PAGE), unused)
  }

  /** Everything sealed until then, by id. */
  async #sealed(until: Revision): Promise<Map<string, Revision>> {
    const found = new Map<string, Revision>()
    await this.#walk(SECRET_ROOT, ({ key, revision }) => {
      const id = key.slice(SECRET_ROOT.length)
      if (isSecretId(id) && revision <= until) found.set(id, revision)
      return true
    })
    return found
  }

  async #strike(unused: Map<string, Revision>): Promise<void> {
    await this.#walk(RESOURCE_ROOT, ({ key, value }) => {
      const kind = this.#parts.kinds.ofPrefix(parseKey(key).kind)
      for (const id of mayHold(value, REFERENCE) ? idsOf(kind, value) : []) unused.delete(id)
      return unused.size > 0
    })
  }

  /** Decided and begun in one turn, so nobody is lent one of these in between. */
  async #remove(ids: readonly string[], revisions: ReadonlyMap<string, Revision>): Promise<void> {
    const condemned = ids.filter((id) => !this.#use.isLent(id))
    if (condemned.length < ids.length) this.#again = true
    if (condemned.length === 0) return
    const ops = condemned.map((id) => ({ type: 'delete', key: secretKey(id), expect: revisions.get(id)! }) as const)
    this.#use.condemn(condemned)
    try {
      const outcome = await this.#parts.store.transact(ops)
      if (!outcome.ok) this.#again = true
    } finally {
      this.#use.acquit(condemned)
    }
  }

  /** In slices, so that requests are served in between. Until `visit` has seen enough. */
  async #walk(prefix: string, visit: (entry: Entry) => boolean): Promise<void> {
    for (let after: string | undefined; ;) {
      await nextTurn()
      const page = await this.#parts.store.list(prefix, { after, limit: PAGE })
      let end = performance.now() + SLICE_MS
      for (const entry of page.entries) {
        if (this.#closed || !visit(entry)) return
        if (performance.now() < end) continue
        await nextTurn()
        end = performance.now() + SLICE_MS
      }
      after = page.entries.at(-1)?.key
      if (page.remaining === 0) return
    }
  }
}

/** Of a kind this server does not know (yet, or any more) everything that looks like a reference counts as one. */
function idsOf(kind: Kind | undefined, value: Uint8Array): readonly string[] {
  if (kind === undefined) return idsIn(Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1'))
  const tree = secretTree(kind)
  return tree ? secretsIn(tree, decodeTrusted(value)).flatMap(({ text }) => referenceId(text) ?? []) : []
}
