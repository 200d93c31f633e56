import { setImmediate } from 'node:timers/promises'
import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import type { Installation } from '#domain/plan/world.ts'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { Follower, ResourceSource } from '#source/source.ts'
import type { Controller } from './controller.ts'
import type { Facts } from './decide.ts'
import { Desires } from './desires.ts'
import { entityKey, entityOf, kindId, kindIdOf, keyOfResource } from './facets.ts'
import { followForever, Inbox, type News } from './follow.ts'
import { Item } from './item.ts'
import { type ControlMetrics, NO_METRICS } from './metrics.ts'
import { Observed } from './observed.ts'
import { findEntity, isOwned, Owned, ownerEntity } from './ownership.ts'
import { Queue, type Causes } from './queue.ts'
import { type Bench, type Next, runItem } from './runner.ts'
import { describeRun } from './run-log.ts'
import { Settled } from './settled.ts'
import { Slots } from './slots.ts'
import { type Cause, Tracker } from './tracker.ts'
import { Writer, type Written } from './writer.ts'

export interface EngineOptions {
  readonly source: ResourceSource
  readonly controllers: readonly Controller[]
  /** Everything planners read or write; at least the controllers' own kinds. */
  readonly kinds: readonly Kind[]
  readonly installation: Installation
  readonly clock: Clock
  readonly log: Log
  readonly metrics?: ControlMetrics | undefined
  /** How long a ready object may have unready children before its status says so. */
  readonly graceMs?: number | undefined
  /** Runs, and writes, under way at the same time. */
  readonly concurrency?: number | undefined
  /** In [0, 1) */
  readonly random?: (() => number) | undefined
  /** Told of every change of an object that has a controller. */
  readonly observe?: ((before: Resource | undefined, after: Resource | undefined) => void) | undefined
}

/** A stretch of planning after which requests get their turn. */
const SLICE_MS = 4

/**
 * Keeps the store what the planners say it should be: follows every resource, plans each object once and from then on
 * whenever something it read has changed, and writes the difference.
 */
export class Engine {
  readonly #options: EngineOptions
  readonly #metrics: ControlMetrics
  readonly #tracker: Tracker
  readonly #queue: Queue
  readonly #desires = new Desires((child) => this.#controllerOf(child))
  readonly #owned = new Owned()
  readonly #observed = new Observed()
  readonly #settled = new Settled()
  readonly #slots: Slots
  readonly #items = new Map<string, Item>()
  readonly #controllers: ReadonlyMap<string, Controller>
  readonly #kinds: ReadonlyMap<string, Kind>
  readonly #stop = new AbortController()
  readonly #bench: Bench
  /** Objects of the snapshot whose planner has not run yet; undefined before the snapshot. */
  #unplanned: Set<string> | undefined
  readonly #untilWarm = new Set<string>()
  /** Children that change hands when the engine is idle, and those that may now. */
  #handOvers = new Set<string>()
  readonly #takeOvers = new Set<string>()
  /** Objects whose status waits for the engine to be idle. */
  #held = new Set<string>()
  readonly #inbox = new Inbox()
  #pumping = false
  #burst = 0
  #timer: { readonly at: number; readonly cancel: () => void } | undefined

  constructor(options: EngineOptions) {
    const { clock, controllers, kinds, installation, source } = options
    this.#options = options
    this.#metrics = options.metrics ?? NO_METRICS
    this.#tracker = new Tracker({ installation, now: () => clock.now() })
    this.#controllers = new Map(controllers.map((controller) => [kindId(controller.kind), controller]))
    this.#kinds = new Map([...kinds, ...controllers.map((c) => c.kind)].map((kind) => [kindId(kind), kind]))
    const wake = (): void => this.#pump()
    this.#queue = new Queue({
      clock,
      wake,
      random: options.random,
      requeued: (key, cause) => this.#countRequeue(key, cause),
    })
    const limit = options.concurrency ?? 16
    this.#slots = new Slots(limit, wake)
    const signal = this.#stop.signal
    const isWarm = (): boolean => this.warm
    const facts: Facts = {
      cache: this.#tracker.cache,
      desires: this.#desires,
      owned: this.#owned,
      get warm() {
        return isWarm()
      },
      isControlled: (kind) => this.#controllers.has(kind),
      isGuarded: (kind) => this.#controllers.get(kind)?.actuator !== undefined,
      mayTakeOver: (child) => this.#takeOvers.has(child),
      isSettled: (wanted, current) => this.#settled.holds(wanted, current),
    }
    const resolveSecret = (reference: string): Promise<string | undefined> => source.resolveSecret(reference)
    this.#bench = {
      tracker: this.#tracker,
      clock,
      writer: new Writer({ source, metrics: this.#metrics, signal, limit }),
      context: { signal, log: options.log, resolveSecret, readFile: (id) => source.readFile(id) },
      graceMs: options.graceMs ?? 500,
      random: options.random ?? Math.random,
      facts: () => facts,
      kindOf: (id) => this.#kindOf(id),
      settled: (wanted, got) => this.#settled.note(wanted, got),
      enqueue: (entity, cause) => this.#enqueue(entity, cause),
      aside: (call) => this.#slots.aside(call),
      burst: () => this.#burst,
      isAlone: () => this.#inbox.size === 0 && this.#queue.depth === 0 && this.#queue.running === 1,
    }
  }

  /** Every planner has run since the start. */
  get warm(): boolean {
    return this.#unplanned?.size === 0
  }

  get stats(): Tracker['graph']['stats'] & { readonly derivations: number; readonly objects: number } {
    return { ...this.#tracker.graph.stats, derivations: this.#tracker.derivations, objects: this.#items.size }
  }

  /** Works until `signal` aborts, then finishes the writes under way and starts no others. Runs once. */
  async run(signal: AbortSignal): Promise<void> {
    const { source, clock, log } = this.#options
    const stop = (): void => this.#shutDown()
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    const follower: Follower = {
      snapshot: (resources) => this.#snapshot(resources),
      changed: (changes) => this.#hear(changes),
    }
    await followForever({ source, kinds: [...this.#kinds.values()], follower, clock, log }, signal)
    while (this.#queue.running > 0) await setImmediate()
  }

  /** For tests: resolves when nothing is queued, running or due. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet = this.#isIdle() ? quiet + 1 : 0) await setImmediate()
  }

  #isIdle(): boolean {
    return this.#unplanned !== undefined && !this.#pumping && this.#isQuiet()
  }

  #isQuiet(): boolean {
    return this.#inbox.size === 0 && this.#queue.depth === 0 && this.#queue.running === 0
  }

  #shutDown(): void {
    this.#stop.abort()
    this.#queue.stop()
    this.#timer?.cancel()
    this.#observed.sawAll()
  }

  /** The news not yet taken are part of the snapshot. */
  #snapshot(resources: readonly Resource[]): void {
    this.#inbox.clear()
    const present = new Set(resources.map(entityOf))
    const gone = [...this.#tracker.cache.all()].filter((resource) => !present.has(entityOf(resource)))
    this.#hear(gone.map((resource) => ({ type: 'DELETED', resource })))
    this.#hear(resources.map((resource) => ({ type: 'ADDED', resource })))
    this.#hear([{ type: 'caught-up' }])
  }

  #hear(news: readonly News[]): void {
    if (this.#stop.signal.aborted) return
    this.#inbox.push(news)
    this.#pump()
  }

  #catchUp(): void {
    this.#observed.sawAll()
    if (this.#unplanned !== undefined) return
    this.#unplanned = new Set(this.#items.keys())
    for (const entity of this.#items.keys()) this.#enqueue(entity, { type: 'start' })
    if (this.#unplanned.size === 0) this.#warmUp()
  }

  #take(news: News): void {
    if (news.type === 'caught-up') return this.#catchUp()
    const { type, resource } = news
    const effect = type === 'DELETED' ? this.#tracker.remove(resource) : this.#tracker.put(resource)
    this.#observed.saw(resource)
    if (effect === undefined) return
    this.#owned.change(effect.before, effect.after)
    const controller = this.#controllers.get(kindIdOf(resource))
    if (controller === undefined) return
    this.#options.observe?.(effect.before, effect.after)
    const entity = entityOf(resource)
    if (!this.#items.has(entity)) this.#addItem(resource, controller)
    const leaves = effect.after === undefined || effect.after.metadata.deletionTimestamp !== undefined
    if (leaves) this.#enqueue(entity, { type: 'deleted', entity })
    else if (effect.before === undefined && this.#unplanned !== undefined)
      this.#enqueue(entity, { type: 'created', entity, wide: !isOwned(resource) })
  }

  #addItem(resource: Resource, controller: Controller): void {
    this.#itemFor(entityOf(resource), { kind: kindIdOf(resource), key: keyOfResource(resource) }, controller)
  }

  #itemFor(entity: string, address: { kind: string; key: string }, controller: Controller): void {
    const isRunning = (key: string): boolean => this.#queue.isRunning(key)
    const enqueue = (key: string, cause: Cause): void => this.#enqueue(key, cause)
    const item = new Item(entity, address, controller, { enqueue, isRunning })
    item.reads = this.#tracker.graph.addReader(item)
    item.watches = this.#tracker.graph.addReader(item.watcher)
    this.#items.set(entity, item)
  }

  #enqueue(entity: string, cause: Cause): void {
    if (this.#items.has(entity) && !this.#stop.signal.aborted) this.#queue.add(entity, cause)
  }

  #countRequeue(entity: string, cause: Cause['type']): void {
    const item = this.#items.get(entity)
    if (item !== undefined) this.#metrics.requeue(item.controller.kind.kind, cause)
  }

  #pump(): void {
    if (this.#pumping || this.#stop.signal.aborted) return
    this.#pumping = true
    void this.#drain()
  }

  /** Takes the news, then starts runs while there is room, giving way to requests every few milliseconds. */
  async #drain(): Promise<void> {
    await setImmediate()
    let started = performance.now()
    while (!this.#stop.signal.aborted && this.#step()) {
      if (performance.now() - started < SLICE_MS) continue
      await setImmediate()
      started = performance.now()
    }
    this.#metrics.depth(this.#queue.depth)
    this.#pumping = false
    if (this.#inbox.size > 0 || (this.#queue.depth > 0 && this.#slots.free > 0)) this.#pump()
  }

  /** False when there is nothing to do, or no room for it. */
  #step(): boolean {
    const news = this.#inbox.take()
    if (news !== undefined) {
      this.#take(news)
      return true
    }
    this.#tracker.flush()
    this.#arm()
    const task = this.#slots.free > 0 ? this.#queue.take() : undefined
    if (task === undefined) return false
    void this.#perform(task.key, task.causes)
    return true
  }

  /** Derivations that wait for a time are looked at when it comes. */
  #arm(): void {
    const at = this.#tracker.nextWake
    if (at === this.#timer?.at) return
    this.#timer?.cancel()
    const due = (): void => {
      this.#timer = undefined
      this.#pump()
    }
    this.#timer = at === undefined ? undefined : { at, cancel: this.#options.clock.setTimer(at, due) }
  }

  async #perform(entity: string, causes: Causes): Promise<void> {
    const item = this.#items.get(entity)
    if (item === undefined) return this.#queue.done(entity)
    const started = performance.now()
    const run: Written[] = []
    const release = this.#slots.take()
    const next = await runItem(this.#bench, item, run)
    release()
    this.#metrics.run(item.controller.kind.kind, (performance.now() - started) / 1000)
    if (next.failed === true) this.#metrics.error(item.controller.kind.kind)
    if (next.outcome === 'circle') this.#metrics.cycle(item.controller.kind.kind)
    describeRun(this.#options.log, { item, causes, run, next })
    for (const written of run) await this.#seen(written)
    this.#finish(item, run, next)
  }

  #seen(written: Written): Promise<void> | undefined {
    if (this.#stop.signal.aborted) return undefined
    if (written.verb !== 'delete') return this.#observed.until(kindId(written.kind), written.version)
    const cached = findEntity(written.entity, this.#tracker.cache)
    if (cached === undefined || cached.metadata.resourceVersion !== written.version) return undefined
    return new Promise((resolve) => this.#observed.onNews(written.entity, resolve))
  }

  #finish(item: Item, run: readonly Written[], next: Next): void {
    const { deferred } = item
    item.deferred = []
    const isOwn = (cause: Cause): boolean => run.some((w) => w.entity === cause.entity && w.version === cause.version)
    for (const cause of deferred) if (!isOwn(cause)) this.#enqueue(item.entity, cause)
    if (next.untilWarm === true && this.warm) this.#enqueue(item.entity, { type: 'desire' })
    else if (next.untilWarm === true) this.#untilWarm.add(item.entity)
    if (next.held === true) this.#held.add(item.entity)
    else this.#held.delete(item.entity)
    for (const child of next.handOvers ?? []) this.#handOvers.add(child)
    if (next.outdated !== undefined) this.#awaitNews(item, next.outdated)
    this.#queue.done(item.entity, {
      at: next.at,
      failed: next.failed === true || next.outdated !== undefined,
      ...(next.cause && { cause: next.cause }),
    })
    if (next.gone === true) this.#bury(item)
    this.#markPlanned(item)
    if (this.#isQuiet()) this.#idle()
    this.#pump()
  }

  /** Nothing is queued or running: a burst is over, and what waited for that goes on. */
  #idle(): void {
    this.#burst++
    const held = this.#held
    this.#held = new Set()
    for (const entity of held) this.#enqueue(entity, { type: 'idle' })
    const children = this.#handOvers
    this.#handOvers = new Set()
    this.#takeOvers.clear()
    for (const child of children) {
      const writer = this.#desires.writer(child)
      if (writer === undefined) continue
      this.#takeOvers.add(child)
      this.#enqueue(writer, { type: 'desire', entity: child })
    }
  }

  #controllerOf(child: string): string | undefined {
    const resource = findEntity(child, this.#tracker.cache)
    return resource && ownerEntity(resource, this.#tracker.cache)
  }

  /** Conflicts are retried on newer state: at once if it is here, else when it comes, and after a while in any case. */
  #awaitNews(item: Item, outdated: NonNullable<Next['outdated']>): void {
    const retry = (): void => this.#enqueue(item.entity, { type: 'conflict', entity: outdated.entity })
    const cached = findEntity(outdated.entity, this.#tracker.cache)
    if (cached?.metadata.resourceVersion !== outdated.version) retry()
    else this.#observed.onNews(outdated.entity, retry)
  }

  #bury(item: Item): void {
    if (findEntity(item.entity, this.#tracker.cache) !== undefined)
      return this.#enqueue(item.entity, { type: 'created' })
    this.#items.delete(item.entity)
    this.#queue.forget(item.entity)
    this.#tracker.drop(item.reads)
    this.#tracker.drop(item.watches)
  }

  #markPlanned(item: Item): void {
    item.planned = true
    if (this.#unplanned?.delete(item.entity) === true && this.#unplanned.size === 0) this.#warmUp()
  }

  /** Now it is known who desires what: what waited for that goes on, and what has lost its owner is looked at. */
  #warmUp(): void {
    for (const entity of this.#untilWarm) this.#enqueue(entity, { type: 'desire' })
    this.#untilWarm.clear()
    for (const owner of this.#owned.lost(this.#tracker.cache)) {
      const parts = owner.split('/')
      const address = { kind: parts.slice(0, -2).join('/'), key: parts.slice(-2).join('/') }
      const controller = this.#controllers.get(address.kind)
      if (controller === undefined) continue
      if (!this.#items.has(owner)) this.#itemFor(entityKey(address.kind, address.key), address, controller)
      this.#enqueue(owner, { type: 'deleted', entity: owner })
    }
    this.#options.log.info('every object is planned', { objects: this.#items.size })
  }

  #kindOf(id: string): Kind {
    const kind = this.#kinds.get(id)
    if (kind === undefined) throw new Error(`the engine does not follow ${id}`)
    return kind
  }
}
