import { setImmediate } from 'node:timers/promises'
import type { Kind } from '#domain/kind.ts'
import type { Resource } from '#domain/object.ts'
import type { Follower } from '#source/source.ts'
import { Alarm } from './alarm.ts'
import { Beliefs } from './beliefs.ts'
import type { Bench } from './bench.ts'
import type { Controller } from './controller.ts'
import { Desires } from './desires.ts'
import { type EngineOptions, TURN, type TurnLimits } from './engine-options.ts'
import { Errands } from './errands.ts'
import { entityOf, forgetEntity, kindId, kindIdOf } from './entity.ts'
import { type Facts, factsOf } from './facts.ts'
import { followForever, Inbox, type News, newsOf } from './follow.ts'
import type { Item } from './item.ts'
import { Lull } from './lull.ts'
import { inSlices } from './in-slices.ts'
import { type ControlMetrics, NO_METRICS } from './metrics.ts'
import { Observed } from './observed.ts'
import { isOwned, Owned } from './ownership.ts'
import { Population } from './population.ts'
import { Pump } from './pump.ts'
import { Queue, type Causes } from './queue.ts'
import { type Next, runItem } from './runner.ts'
import { describeRun } from './run-log.ts'
import { Settled } from './settled.ts'
import { Storing } from './storing.ts'
import { type Cause, Tracker } from './tracker.ts'
import { Turn } from './turn.ts'
import type { Outdated, Written } from './writer.ts'

/**
 * Keeps the store what the planners say it should be: follows every resource, plans each object once and from then on
 * whenever something it read has changed, and stores the difference. It works in turns: the news are taken, whatever has to
 * run does so, each on top of what the others wrote, and all that was written is stored at once.
 */
export class Engine {
  readonly #options: EngineOptions
  readonly #limits: TurnLimits
  readonly #metrics: ControlMetrics
  readonly #tracker: Tracker
  readonly #beliefs: Beliefs
  readonly #population: Population
  readonly #queue: Queue
  readonly #errands: Errands
  readonly #storing: Storing
  readonly #pump: Pump
  readonly #desires = new Desires((child) => this.#beliefs.ownerOf(child))
  readonly #owned = new Owned()
  readonly #observed = new Observed()
  readonly #settled = new Settled()
  readonly #lull = new Lull()
  readonly #inbox = new Inbox()
  /** Derivations that wait for a time are looked at when it comes. */
  readonly #alarm: Alarm
  readonly #controllers: ReadonlyMap<string, Controller>
  readonly #kinds: ReadonlyMap<string, Kind>
  readonly #stop = new AbortController()
  readonly #bench: Bench
  readonly #untilWarm = new Set<string>()
  readonly #isQueued = (entity: string): boolean => this.#queue.isQueued(entity)
  #turn: Turn | undefined
  #performing: string | undefined

  constructor(options: EngineOptions) {
    const { clock, controllers, kinds, installation } = options
    this.#options = options
    this.#limits = options.turn ?? TURN
    this.#metrics = options.metrics ?? NO_METRICS
    this.#tracker = new Tracker({ installation, now: () => clock.now() })
    this.#beliefs = new Beliefs({ tracker: this.#tracker, clock })
    this.#controllers = new Map(controllers.map((controller) => [kindId(controller.kind), controller]))
    this.#kinds = new Map([...kinds, ...controllers.map((c) => c.kind)].map((kind) => [kindId(kind), kind]))
    this.#pump = new Pump({
      work: () => this.#takeTurn(),
      mayWork: () => !this.#storing.paused && !this.#stop.signal.aborted,
      hasWork: () => !this.#isCaughtUp() || this.#errands.ended > 0,
      rested: () => this.#metrics.depth(this.#queue.depth),
    })
    const wake = (): void => this.#pump.wake()
    this.#alarm = new Alarm(clock, wake)
    const requeued = (key: string, cause: Cause['type']): void => {
      const item = this.#population.get(key)
      if (item !== undefined) this.#metrics.requeue(item.controller.kind.kind, cause)
    }
    this.#queue = new Queue({ clock, wake, random: options.random, requeued })
    this.#population = new Population({
      controllers: this.#controllers,
      tracker: this.#tracker,
      schedule: {
        enqueue: (entity, cause) => this.#enqueue(entity, cause),
        isRunning: (entity) => this.#queue.isRunning(entity),
        isPerforming: (entity) => this.#performing === entity,
      },
    })
    this.#errands = new Errands({
      limit: options.concurrency ?? 64,
      find: (item) => this.#tracker.cache.get(item.entity),
      returned: wake,
      dropped: (item) => this.#queue.done(item.entity),
    })
    this.#storing = new Storing({
      clock,
      log: options.log,
      metrics: this.#metrics,
      queue: this.#queue,
      beliefs: this.#beliefs,
      absorb: (entity, resource) => this.#absorb(entity, resource),
      enqueue: (entity, cause) => this.#enqueue(entity, cause),
      awaitNews: (item, outdated) => this.#awaitNews(item, outdated),
      resume: wake,
    })
    this.#bench = this.#benchOf(
      factsOf({
        cache: this.#tracker.cache,
        desires: this.#desires,
        owned: this.#owned,
        population: this.#population,
        lull: this.#lull,
        settled: this.#settled,
        controllers: this.#controllers,
      }),
    )
  }

  #benchOf(facts: Facts): Bench {
    const { source, clock, log, graceMs = 500, random = Math.random } = this.#options
    return {
      tracker: this.#tracker,
      clock,
      writer: () => this.#turn!.writer,
      context: {
        signal: this.#stop.signal,
        log,
        resolveSecret: (reference) => source.resolveSecret(reference),
        readFile: (id) => source.readFile(id),
      },
      graceMs,
      random,
      facts: () => facts,
      kindOf: (id) => this.#kinds.get(id) ?? unknown(id),
      settled: (wanted, got) => this.#settled.note(wanted, got),
      enqueue: (entity, cause) => this.#enqueue(entity, cause),
      burst: () => this.#lull.burst,
      isAlone: () => this.#isCaughtUp() && this.#queue.running === 1,
    }
  }

  /** Every planner has run since the start. */
  get warm(): boolean {
    return this.#population.warm
  }

  get stats(): Tracker['graph']['stats'] & { readonly derivations: number; readonly objects: number } {
    this.#tracker.sweep()
    return { ...this.#tracker.graph.stats, derivations: this.#tracker.derivations, objects: this.#population.size }
  }

  /** Works until `signal` aborts, then finishes the writes under way and starts no others. Runs once. */
  async run(signal: AbortSignal): Promise<void> {
    const { source, clock, log } = this.#options
    if (signal.aborted) this.#shutDown()
    else signal.addEventListener('abort', () => this.#shutDown(), { once: true })
    const follower: Follower = {
      snapshot: (resources) => this.#snapshot(resources),
      changed: (changes) => this.#hear(changes),
    }
    await followForever({ source, kinds: [...this.#kinds.values()], follower, clock, log }, signal)
    while (this.#queue.running > 0 || this.#pump.working) await setImmediate()
  }

  /** For tests: resolves when nothing is queued, running or due. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet = this.#isIdle() ? quiet + 1 : 0) await setImmediate()
  }

  #isIdle(): boolean {
    return this.#population.started && !this.#pump.working && (this.#storing.paused || this.#isQuiet())
  }

  #isQuiet(): boolean {
    return this.#isCaughtUp() && this.#queue.running === 0
  }

  /** Nothing is heard, told or queued that has not been looked at. */
  #isCaughtUp(): boolean {
    return this.#inbox.size === 0 && this.#queue.depth === 0 && !this.#tracker.hasUntold
  }

  #shutDown(): void {
    this.#stop.abort()
    this.#queue.stop()
    this.#alarm.set(undefined)
    this.#errands.stop()
  }

  /** The news not yet taken are part of the snapshot. */
  #snapshot(resources: readonly Resource[]): void {
    this.#inbox.clear()
    this.#hear(newsOf(resources, this.#tracker.cache.all()))
  }

  #hear(news: readonly News[]): void {
    if (this.#stop.signal.aborted) return
    this.#inbox.push(news)
    this.#pump.wake()
  }

  #catchUp(): void {
    this.#observed.sawAll()
    if (this.#population.started) return
    this.#population.start()
    for (const entity of this.#population.entities) this.#enqueue(entity, { type: 'start' })
    if (this.warm) this.#warmUp()
  }

  #take(news: News): void {
    if (news.type === 'caught-up') return this.#catchUp()
    const { resource } = news
    const { before, after } = this.#beliefs.hear(news)
    this.#absorb(entityOf(resource), after)
    this.#observed.saw(resource)
    // What was made together with its status had none before; what the snapshot brings has a past that nobody knows.
    const isNew = before === undefined && after !== undefined && this.#population.started
    if (this.#controllers.has(kindIdOf(resource)))
      this.#options.observe?.(isNew ? { ...after, status: undefined } : before, after)
    if (after === undefined) forgetEntity(resource)
  }

  /** Takes a state of an object in, and whatever follows from it. */
  #absorb(entity: string, after: Resource | undefined): void {
    const effect = this.#beliefs.take(entity, after)
    if (effect === undefined) return
    this.#owned.change(effect.before, effect.after)
    const resource = (after ?? effect.before)!
    if (!this.#controllers.has(kindIdOf(resource))) return
    this.#population.add(resource)
    const leaves = after === undefined || after.metadata.deletionTimestamp !== undefined
    if (leaves && effect.facets !== 0) this.#enqueue(entity, { type: 'deleted', entity })
    else if (effect.before === undefined && this.#population.started)
      this.#enqueue(entity, { type: 'created', entity, wide: !isOwned(resource) })
  }

  #enqueue(entity: string, cause: Cause): void {
    if (cause.type === 'desire') this.#population.remember(entity)
    if (this.#stop.signal.aborted || this.#storing.isUndoing(entity)) return
    if (this.#population.get(entity) === undefined) return
    const isOneOfMany = this.#desires.isOneOfMany(cause.entity, entity, this.#isQueued)
    const canWait = isOneOfMany && this.#beliefs.find(cause.entity!) !== undefined
    this.#queue.add(entity, canWait ? { ...cause, echo: true } : cause)
  }

  /** Takes the news, lets run what has to for a few milliseconds, and stores what that wrote. False: nothing to do. */
  async #takeTurn(): Promise<boolean> {
    await this.#takeNews()
    if (this.#stop.signal.aborted) return false
    this.#errands.start()
    const turn = this.#openTurn()
    const steps = await inSlices({
      step: () => this.#step(turn),
      hasRoom: () => this.#hasRoom(turn),
      giveWay: () => this.#giveWay(),
      sliceMs: this.#limits.sliceMs,
      most: this.#limits.slices,
    })
    this.#turn = undefined
    if (steps > 0) await this.#giveWay()
    const stored = turn.before.size === 0 || (await this.#storing.store(turn))
    if (stored) this.#complete(turn)
    return steps > 0 || this.#rest()
  }

  #complete({ errands, gone }: Turn): void {
    this.#errands.add(errands)
    for (const item of gone) this.#bury(item)
  }

  /** People first. */
  async #giveWay(): Promise<void> {
    await setImmediate()
    await this.#options.giveWay?.()
  }

  #hasRoom({ writer, ran }: Turn): boolean {
    if (this.#stop.signal.aborted || writer.size >= this.#limits.writes) return false
    return !this.#storing.cautious || ran.size === 0
  }

  async #takeNews(): Promise<void> {
    const step = (): boolean => {
      const news = this.#inbox.take()
      if (news !== undefined) this.#take(news)
      return news !== undefined
    }
    const { sliceMs } = this.#limits
    await inSlices({ step, hasRoom: () => !this.#stop.signal.aborted, giveWay: () => setImmediate(), sliceMs })
  }

  #openTurn(): Turn {
    this.#turn = new Turn({
      transaction: this.#options.source.begin(),
      find: (entity) => this.#beliefs.find(entity),
      absorb: (entity, resource) => this.#absorb(entity, resource),
      isContended: (entity) => this.#beliefs.isContended(entity),
    })
    return this.#turn
  }

  /** False when there is nothing to do. */
  #step(turn: Turn): boolean {
    this.#tracker.flush()
    if (this.#tracker.tellSome()) return true
    this.#alarm.set(this.#tracker.nextWake)
    const back = this.#errands.take()
    if (back !== undefined) {
      this.#perform(turn, back.item, back.causes, (run) => back.errand.goOn(back.self, back.result, run))
      return true
    }
    const task = this.#queue.take()
    if (task === undefined) return false
    const item = this.#population.get(task.key)
    if (item === undefined) this.#queue.done(task.key)
    else this.#perform(turn, item, task.causes, (run) => runItem(this.#bench, item, run))
    return true
  }

  #perform(turn: Turn, item: Item, causes: Causes, work: (run: Written[]) => Next): void {
    const started = performance.now()
    const run: Written[] = []
    this.#lull.busy()
    this.#performing = item.entity
    const next = work(run)
    this.#performing = undefined
    const { kind } = item.controller.kind
    this.#metrics.run(kind, (performance.now() - started) / 1000)
    if (next.failed === true) this.#metrics.error(kind)
    if (next.outcome === 'circle') this.#metrics.cycle(kind)
    describeRun(this.#options.log, { item, causes, run, next })
    turn.note(item, run)
    item.forgetOwn(run)
    if (next.errand !== undefined) turn.errands.push({ item, causes, errand: next.errand })
    else this.#finish(item, next)
    if (next.gone === true) turn.gone.add(item)
  }

  #finish(item: Item, next: Next): void {
    const { deferred } = item
    item.deferred = []
    for (const cause of deferred) this.#enqueue(item.entity, cause)
    if (next.untilWarm === true && this.warm) this.#enqueue(item.entity, { type: 'desire' })
    else if (next.untilWarm === true) this.#untilWarm.add(item.entity)
    this.#lull.hold(item.entity, next.held === true)
    this.#lull.handOver(next.handOvers ?? [])
    if (next.outdated !== undefined) this.#awaitNews(item, next.outdated)
    this.#queue.done(item.entity, {
      at: next.at,
      failed: next.failed === true || next.outdated !== undefined,
      ...(next.cause && { cause: next.cause }),
    })
    if (this.#population.planned(item)) this.#warmUp()
  }

  /** True: a burst has ended with this, and something has waited for that. */
  #rest(): boolean {
    if (this.#lull.isOver || !this.#isQuiet()) return false
    for (const { entity, cause } of this.#lull.end((child) => this.#desires.writer(child))) this.#enqueue(entity, cause)
    return this.#queue.depth > 0
  }

  /** Conflicts are retried on newer state: at once if it is here, else when it comes, and after a while in any case. */
  #awaitNews(item: Item, outdated: Pick<Outdated, 'entity' | 'version'>): void {
    const retry = (): void => this.#enqueue(item.entity, { type: 'conflict', entity: outdated.entity })
    if (this.#beliefs.find(outdated.entity)?.metadata.resourceVersion !== outdated.version) retry()
    else this.#observed.onNews(outdated.entity, retry)
  }

  #bury(item: Item): void {
    // It is back, or wanted for something else meanwhile.
    if (this.#beliefs.find(item.entity) !== undefined) return this.#enqueue(item.entity, { type: 'created' })
    if (this.#queue.isQueued(item.entity)) return
    this.#queue.forget(item.entity)
    this.#population.remove(item)
  }

  /** Now it is known who desires what: what waited for that goes on, and what has lost its owner is looked at. */
  #warmUp(): void {
    for (const entity of this.#untilWarm) this.#enqueue(entity, { type: 'desire' })
    this.#untilWarm.clear()
    for (const owner of this.#owned.lost(this.#tracker.cache)) {
      this.#population.remember(owner)
      this.#enqueue(owner, { type: 'deleted', entity: owner })
    }
    this.#options.log.info('every object is planned', { objects: this.#population.size })
  }
}

function unknown(kind: string): never {
  throw new Error(`the engine does not follow ${kind}`)
}
