import type { Resource } from '#domain/object.ts'
import type { Controller } from './controller.ts'
import { entityOf, kindIdOf, kindOfEntity } from './entity.ts'
import { Item, type Schedule } from './item.ts'
import type { Tracker } from './tracker.ts'

interface Options {
  readonly controllers: ReadonlyMap<string, Controller>
  readonly tracker: Tracker
  readonly schedule: Schedule
}

/** The objects that have a controller, and which of them have not been planned since the start. */
export class Population {
  readonly #options: Options
  readonly #items = new Map<string, Item>()
  /** Undefined before the snapshot. */
  #unplanned: Set<string> | undefined

  constructor(options: Options) {
    this.#options = options
  }

  get size(): number {
    return this.#items.size
  }

  get entities(): Iterable<string> {
    return this.#items.keys()
  }

  get(entity: string): Item | undefined {
    return this.#items.get(entity)
  }

  /** The snapshot is taken. */
  get started(): boolean {
    return this.#unplanned !== undefined
  }

  /** Every planner has run since the start. */
  get warm(): boolean {
    return this.#unplanned?.size === 0
  }

  /** Whoever is here now has to be planned before all is known. */
  start(): void {
    this.#unplanned = new Set(this.#items.keys())
  }

  /** True: it was the last one that had not been planned. */
  planned(item: Item): boolean {
    return this.#unplanned?.delete(item.entity) === true && this.#unplanned.size === 0
  }

  add(resource: Resource): void {
    this.#add(entityOf(resource), kindIdOf(resource))
  }

  /** Something is left of an object that is gone. */
  remember(entity: string): void {
    if (!this.#items.has(entity)) this.#add(entity, kindOfEntity(entity))
  }

  remove(item: Item): void {
    this.#items.delete(item.entity)
    this.#options.tracker.drop(item.reads)
    this.#options.tracker.drop(item.watches)
  }

  #add(entity: string, kind: string): void {
    const { controllers, tracker, schedule } = this.#options
    const controller = controllers.get(kind)
    if (controller === undefined || this.#items.has(entity)) return
    const item = new Item(entity, controller, schedule)
    item.reads = tracker.graph.addReader(item)
    item.watches = tracker.graph.addReader(item.watcher)
    this.#items.set(entity, item)
  }
}
