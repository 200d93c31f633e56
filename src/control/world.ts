import type { Kind, SpecOf, StatusOf } from '#domain/kind.ts'
import type { Named, Resource } from '#domain/object.ts'
import type { Aggregate, Derivation, Index, Installation, OwnView, View, World } from '#domain/plan/world.ts'
import { bucketKey, Cache } from './cache.ts'
import { entityAt, entityOf } from './entity.ts'
import { Facet } from './facets.ts'
import { NO_RECORDER, RecordedView, type Recorder } from './view.ts'

/** Where a world looks, when, and who hears of it. */
export interface Vantage {
  readonly cache: Cache
  readonly now: number
  readonly installation: Installation
  readonly recorder: Recorder
  /** The memoised value; the asking recorder is told to depend on it. */
  derive<A extends readonly string[], T>(derivation: Derivation<A, T>, args: A): T
}

/** The planners' view of the cache at one moment. */
export class CacheWorld implements World {
  readonly #at: Vantage

  constructor(at: Vantage) {
    this.#at = at
  }

  get installation(): Installation {
    return this.#at.installation
  }

  get<K extends Kind>(kind: K, ref: Named): View<SpecOf<K>, StatusOf<K>> | undefined {
    const { cache, recorder } = this.#at
    const entity = entityAt(kind, ref)
    const base = recorder.base(entity)
    recorder.read(base + Facet.exists)
    const resource = cache.get(entity)
    return resource && new RecordedView(resource, recorder, base)
  }

  list<Spec, Status>(index: Index<Spec, Status>, key: string): readonly View<Spec, Status>[] {
    const { cache, recorder } = this.#at
    recorder.read(recorder.base(bucketKey(index.name, key)))
    return cache.bucket(index, key).map((resource) => new RecordedView(resource, recorder))
  }

  values(aggregate: Aggregate, key: string): readonly string[] {
    const { cache, recorder } = this.#at
    recorder.read(recorder.base(bucketKey(aggregate.name, key)))
    return cache.values(aggregate, key)
  }

  derive<A extends readonly string[], T>(derivation: Derivation<A, T>, ...args: A): T {
    return this.#at.derive(derivation, args)
  }

  reached(time: string): boolean {
    const at = Date.parse(time)
    if (Number.isNaN(at)) throw new Error(`not a time: "${time}" (expected RFC 3339)`)
    if (at <= this.#at.now) return true
    this.#at.recorder.wake(at)
    return false
  }
}

export interface StaticOptions {
  /** RFC 3339 */
  readonly now?: string | undefined
  readonly installation?: Installation | undefined
}

export const TEST_INSTALLATION: Installation = { issuerBase: 'https://issuer.example' }

/** A world of exactly these resources, for planning without an engine. Nothing is recorded. */
export function staticWorld(resources: Iterable<Resource>, options: StaticOptions = {}): World {
  const cache = new Cache()
  for (const resource of resources) cache.put(entityOf(resource), resource)
  const now = Date.parse(options.now ?? '2026-06-01T00:00:00Z')
  const installation = options.installation ?? TEST_INSTALLATION
  const known = new Map<unknown, Map<string, unknown>>()
  const derive: Vantage['derive'] = (derivation, args) => {
    const values = known.get(derivation) ?? new Map<string, unknown>()
    known.set(derivation, values)
    const key = JSON.stringify(args)
    if (!values.has(key)) values.set(key, derivation(world, ...args))
    return values.get(key) as ReturnType<typeof derivation>
  }
  const world: World = new CacheWorld({ cache, now, installation, recorder: NO_RECORDER, derive })
  return world
}

/** One object as its planner gets it, from a resource and without recording. */
export const viewOf = <Spec, Status>(resource: Resource<Spec, Status>): OwnView<Spec, Status> =>
  new RecordedView(resource, NO_RECORDER)
