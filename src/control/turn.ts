import type { Resource } from '#domain/object.ts'
import type { Transaction } from '#source/source.ts'
import type { Item } from './item.ts'
import type { Causes } from './queue.ts'
import type { Errand } from './runner.ts'
import { type Absorb, Writer, type Written } from './writer.ts'

/** A run that has something to do outside, once what it wrote is stored. */
export interface Underway {
  readonly item: Item
  readonly causes: Causes
  readonly errand: Errand
}

interface Options {
  readonly transaction: Transaction
  readonly find: (entity: string) => Resource | undefined
  readonly absorb: Absorb
  readonly isContended: (entity: string) => boolean
}

/**
 * Runs, one after the other, whose writes are stored together. Each sees what those before it wrote; should it turn out that
 * nothing can be stored, everything is as it was before.
 */
export class Turn {
  readonly writer: Writer
  readonly errands: Underway[] = []
  /** What had nothing left to do: it is forgotten, but not before that is stored. */
  readonly gone = new Set<Item>()
  /** What was run, and what it wrote. */
  readonly ran = new Map<Item, Written[]>()
  readonly #before = new Map<string, Resource | undefined>()

  constructor({ transaction, find, absorb, isContended }: Options) {
    this.writer = new Writer({
      transaction,
      isContended,
      absorb: (entity, resource) => {
        if (!this.#before.has(entity)) this.#before.set(entity, find(entity))
        absorb(entity, resource)
      },
    })
  }

  note(item: Item, run: readonly Written[]): void {
    const written = this.ran.get(item)
    if (written === undefined) this.ran.set(item, [...run])
    else written.push(...run)
  }

  /** What each object it wrote is in the store until the turn is stored; undefined: nothing. */
  get before(): ReadonlyMap<string, Resource | undefined> {
    return this.#before
  }

  wrote(item: Item, entity: string): boolean {
    return this.ran.get(item)?.some((written) => written.entity === entity) === true
  }
}
