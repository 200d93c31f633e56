import type { Resource } from '#domain/object.ts'
import type { Derivation, Installation, World } from '#domain/plan/world.ts'
import { Cache, type Effect } from './cache.ts'
import { Derivations } from './derivations.ts'
import { entityOf } from './entity.ts'
import { Graph } from './graph.ts'
import type { Recorder } from './view.ts'
import { CacheWorld } from './world.ts'

/** Why something runs: what kind of cause, and in words what it was. */
export interface Cause {
  readonly type: CauseType
  /** For a change: the object, bucket or derivation that is different now. */
  readonly entity?: string | undefined
  /** For a change of an object: the version it came with. */
  readonly version?: string | undefined
  /** The change concerns many readers. */
  readonly wide?: boolean
  /** Whoever is to run did it itself a moment ago, or one of its many children did: that can wait for other reasons. */
  readonly echo?: boolean
}

export type CauseType =
  | 'start'
  | 'created'
  | 'deleted'
  | 'read'
  | 'index'
  | 'derived'
  | 'child'
  | 'desire'
  | 'drift'
  | 'time'
  | 'retry'
  | 'conflict'
  | 'idle'

/** Something that reads the world and must run again when its answers change. */
export interface Reader {
  stale(cause: Cause): void
  /** Whether it may hear of it a little later, when thousands have to. */
  canWait(): boolean
}

/** What one run read besides the graph: when time alone would change an answer. */
export interface Recorded<T> {
  readonly value: T
  readonly wakeAt: number | undefined
}

/** Up to so many readers a change is a step in the life of few objects, beyond that a change of the world. */
const FEW = 8
/** Readers told in one go: a fraction of a millisecond. */
const PORTION = 100

interface Options {
  readonly installation: Installation
  readonly now: () => number
}

/** So many entities that nobody reads are kept. */
const UNREAD_KEPT = 4096

/** What one run reads. */
class Reading implements Recorder {
  readonly #graph: Graph<Reader>
  readonly slots: number[] = []
  wakeAt: number | undefined

  constructor(graph: Graph<Reader>) {
    this.#graph = graph
  }

  base(entity: string): number {
    return this.#graph.base(entity)
  }

  read(slot: number): void {
    this.slots.push(slot)
  }

  wake(at: number): void {
    this.wakeAt = Math.min(at, this.wakeAt ?? at)
  }
}

/** The cache, who reads it, and the derivations in between. All synchronous: between two calls the world stands still. */
export class Tracker {
  readonly cache = new Cache()
  readonly graph = new Graph<Reader>()
  readonly #derivations: Derivations
  readonly #options: Options
  #depth = 0
  /** Those who hear a little later of a change that concerns many. */
  readonly #untold: { readonly readers: Reader[]; readonly cause: Cause }[] = []

  constructor(options: Options) {
    this.#options = options
    this.#derivations = new Derivations(this)
  }

  get derivations(): number {
    return this.#derivations.size
  }

  /** Takes a state of an object in, and tells every reader whose answers it changes. */
  put(resource: Resource): Effect {
    const entity = entityOf(resource)
    return this.#announce(entity, this.cache.put(entity, resource))
  }

  remove(resource: Resource): Effect | undefined {
    const entity = entityOf(resource)
    const effect = this.cache.remove(entity)
    return effect && this.#announce(entity, effect)
  }

  #announce(entity: string, effect: Effect): Effect {
    if (effect.facets === 0 && effect.buckets.length === 0) return effect
    const version = effect.after?.metadata.resourceVersion
    this.tell(entity, effect.facets, { type: 'read', entity, version })
    for (const bucket of effect.buckets) this.tell(bucket, 1, { type: 'index', entity: bucket })
    return effect
  }

  tell(entity: string, facets: number, cause: Cause): void {
    if (facets === 0) return
    const readers = this.graph.readersOf(entity, facets)
    const isWide = readers.length > FEW
    const told = isWide ? { ...cause, wide: true } : cause
    const later: Reader[] = []
    for (const reader of readers) {
      if (isWide && reader.canWait()) later.push(reader)
      else reader.stale(told)
    }
    if (later.length > 0) this.#untold.push({ readers: later, cause: told })
  }

  /** Whether somebody is yet to hear of something. Nothing runs before. */
  get hasUntold(): boolean {
    return this.#untold.length > 0
  }

  /** Tells some of them, if there are any: a change with ten thousand readers must not hold up a request. */
  tellSome(): boolean {
    if (this.#untold.length === 0) return false
    for (let left = PORTION; left > 0; left--) {
      const next = this.#untold[0]
      const reader = next?.readers.pop()
      if (reader !== undefined) reader.stale(next!.cause)
      else if (this.#untold.shift() === undefined) break
    }
    return true
  }

  /** Brings derivations up to date, so that those who read them know whether they have to run. */
  flush(): void {
    this.#depth++
    try {
      this.#derivations.expire(this.#options.now())
      this.#derivations.flush()
    } finally {
      this.#depth--
      this.#sweep()
    }
  }

  /** When `flush` is due although nothing changed. */
  get nextWake(): number | undefined {
    return this.#derivations.nextWake
  }

  /** Runs `look` over the world as it is now; `reader` reads from now on exactly what it looked at, even if it throws. */
  record<T>(reader: number, look: (world: World, recorder: Recorder) => T): Recorded<T> {
    const reading = new Reading(this.graph)
    this.#depth++
    try {
      return { value: look(this.#world(reading), reading), wakeAt: reading.wakeAt }
    } finally {
      this.graph.setReads(reader, reading.slots)
      this.#depth--
      this.#sweep()
    }
  }

  drop(reader: number): void {
    this.graph.removeReader(reader)
    this.#sweep()
  }

  #world(recorder: Recorder): World {
    const { installation, now } = this.#options
    const derive = <A extends readonly string[], T>(derivation: Derivation<A, T>, args: A): T =>
      this.#derivations.value(derivation, args, recorder)
    return new CacheWorld({ cache: this.cache, now: now(), installation, recorder, derive })
  }

  /** Not at once: what nobody reads now, somebody may in a moment. */
  #sweep(): void {
    if (this.#depth === 0 && this.graph.unread > UNREAD_KEPT) this.sweep()
  }

  /** Forgets whatever nobody reads. Dropping a derivation can leave others unread, so this repeats until nothing falls. */
  sweep(): void {
    for (let gone = this.graph.sweep(); gone.length > 0; gone = this.graph.sweep()) {
      for (const entity of gone) this.#derivations.drop(entity)
    }
  }
}
