import { File, type FileSpec } from '#domain/kinds/files/file.ts'
import { kindPrefix, resourceKey } from '#registry/keys.ts'
import type { Parts } from '#registry/parts.ts'
import type { Key } from '#registry/registry.ts'
import type { SharedChange } from '#registry/shared-change.ts'
import { chunkRemovals, FILE_ROOT } from './chunks.ts'

/** Removes the bytes of files whose File is gone, whoever deleted it. */
export class FileSweeper {
  readonly #parts: Parts
  readonly #prefix = kindPrefix(File)
  #underWay: Promise<unknown> = Promise.resolve()
  #pending = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.#findStrays()
  }

  get idle(): boolean {
    return this.#pending === 0
  }

  async settled(): Promise<void> {
    while (!this.idle) await this.#underWay
  }

  changed(changes: readonly SharedChange[]): void {
    for (const change of changes) {
      if (change.after !== undefined || change.at.kind !== this.#prefix) continue
      const { checksum } = change.event('DELETED').stored.resource.spec as FileSpec
      this.#enqueue(() => this.#sweep(change.at, checksum))
    }
  }

  /** Bytes whose File went while nobody was looking: the server stopped in between. */
  #findStrays(): void {
    const strays = new Map<string, Key & { readonly checksum: string }>()
    for (const { key } of this.#parts.store.entries(FILE_ROOT)) {
      const [namespace = '', name = '', checksum = ''] = key.slice(FILE_ROOT.length).split('/')
      const file = { namespace, name, checksum: checksum.replaceAll('_', '/') }
      if (this.#checksumOf(file) !== file.checksum) strays.set(`${namespace}/${name}/${checksum}`, file)
    }
    for (const file of strays.values()) this.#enqueue(() => this.#sweep(file, file.checksum))
  }

  #checksumOf(key: Key): string | undefined {
    const entry = this.#parts.store.get(resourceKey(File, key))
    return entry && (this.#parts.cache.stored(entry).resource.spec as FileSpec).checksum
  }

  /** The same bytes may have been stored again meanwhile; a write under way makes the removal fail, as it should. */
  async #sweep(key: Key, checksum: string): Promise<void> {
    if (this.#checksumOf(key) === checksum) return
    const removals = chunkRemovals(this.#parts.store, key, checksum)
    if (removals.length > 0) await this.#parts.store.transact(removals)
  }

  /** What fails is found again at the next start. */
  #enqueue(work: () => Promise<void>): void {
    this.#pending++
    this.#underWay = this.#underWay
      .then(work)
      .catch(() => undefined)
      .finally(() => this.#pending--)
  }
}
