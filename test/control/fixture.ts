import type { Controller } from '#control/controller.ts'
import { Engine } from '#control/engine.ts'
import type { TurnLimits } from '#control/engine-options.ts'
import { OWNER_LABEL } from '#control/ownership.ts'
import { NO_METRICS, type ControlMetrics } from '#control/metrics.ts'
import { findCondition } from '#domain/condition.ts'
import { isStatus } from '#domain/errors.ts'
import { apiVersionOf, type Kind, type User } from '#domain/kind.ts'
import type { Condition, Named, Resource } from '#domain/object.ts'
import { TEST_INSTALLATION } from '#control/world.ts'
import { ManualClock } from '#lib/clock.ts'
import { createLog, type Log } from '#lib/log.ts'
import { createRegistry, type RunningRegistry } from '#registry/create-registry.ts'
import { registrySource } from '#registry/source.ts'
import type { ResourceSource } from '#source/source.ts'
import { openMemoryStore } from '#store/memory.ts'
import { settle } from '#test/support/settle.ts'
import { GARDEN, gardeners } from './garden.ts'

const PLATFORM: User = { name: 'system:stellwerk', groups: [], platform: true }
const PERSON = { user: { name: 'alice', groups: [] } }

export interface GardenOptions {
  readonly kinds?: readonly Kind[]
  readonly controllers?: readonly Controller[]
  /** Stands between the engine and the registry. */
  readonly around?: (source: ResourceSource) => ResourceSource
  readonly graceMs?: number
  readonly turn?: TurnLimits | undefined
  readonly log?: Log
  readonly giveWay?: () => Promise<void> | undefined
  readonly observe?: (before: Resource | undefined, after: Resource | undefined) => void
}

/** A registry on a memory store with the engine on it: the real ones, with a clock that stands still. */
export class Garden {
  readonly clock = new ManualClock(Date.UTC(2026, 5, 1))
  readonly store = openMemoryStore()
  readonly registry: RunningRegistry
  readonly kinds: readonly Kind[]
  /** Plans since the last look, by object. */
  runs = new Map<string, number>()
  /** Writes of the engine since the last look. */
  writes = 0
  cycles = 0
  readonly #options: GardenOptions
  #engine: { readonly engine: Engine; readonly stop: AbortController; readonly done: Promise<void> } | undefined

  constructor(options: GardenOptions = {}) {
    this.#options = options
    this.kinds = options.kinds ?? GARDEN
    this.registry = createRegistry({
      store: this.store,
      kinds: this.kinds,
      secretKey: new Uint8Array(32),
      clock: this.clock,
    })
  }

  get engine(): Engine {
    if (this.#engine === undefined) throw new Error('the engine is not started')
    return this.#engine.engine
  }

  get source(): ResourceSource {
    return registrySource(this.registry, PLATFORM)
  }

  start(): this {
    const stop = new AbortController()
    const engine = new Engine({
      source: this.#options.around?.(this.source) ?? this.source,
      controllers: (this.#options.controllers ?? gardeners).map((controller) => this.#counted(controller)),
      kinds: this.kinds,
      installation: TEST_INSTALLATION,
      clock: this.clock,
      log: this.#options.log ?? createLog({ level: 'silent' }),
      metrics: this.#metrics(),
      graceMs: this.#options.graceMs ?? 500,
      turn: this.#options.turn,
      random: () => 0.5,
      giveWay: this.#options.giveWay,
      observe: this.#options.observe,
    })
    this.#engine = { engine, stop, done: engine.run(stop.signal) }
    return this
  }

  async stop(): Promise<void> {
    this.#engine?.stop.abort()
    await this.#engine?.done
    this.#engine = undefined
  }

  /** Nothing is left to do for the engine, nor for the registry's own workers. */
  settle(): Promise<void> {
    return settle(this.#engine?.engine, this.registry)
  }

  async advance(ms: number): Promise<void> {
    await this.settle()
    this.clock.advance(ms)
    await this.settle()
  }

  find(kind: Kind, name: string, namespace = 'a'): Resource<any, any> | undefined {
    try {
      return this.registry.get(kind, { namespace: kind.scope === 'Cluster' ? '' : namespace, name }).resource
    } catch {
      return undefined
    }
  }

  condition(kind: Kind, name: string, type = 'Ready', namespace = 'a'): string {
    const found = findCondition<Condition>(this.find(kind, name, namespace)?.status?.conditions, type)
    return found === undefined ? 'none' : `${found.status}/${found.reason}`
  }

  message(kind: Kind, name: string): string | undefined {
    return findCondition<Condition>(this.find(kind, name)?.status?.conditions, 'Ready')?.message
  }

  /** Creates the object or replaces its spec, as a person. */
  async put(
    kind: Kind,
    name: string,
    spec: object,
    more: { readonly namespace?: string; readonly metadata?: object } = {},
  ): Promise<Resource> {
    const { namespace = 'a', metadata } = more
    for (;;) {
      const old = this.find(kind, name, namespace)
      const value = {
        apiVersion: apiVersionOf(kind),
        kind: kind.kind,
        metadata: { name, namespace, ...old?.metadata, ...metadata },
        spec,
      }
      const body = { value, duplicates: [] }
      try {
        if (old === undefined) return (await this.registry.create(kind, namespace, body, PERSON)).resource
        return (await this.registry.update(kind, { namespace, name }, body, PERSON)).resource
      } catch (error) {
        if (!isStatus(error, 'Conflict') && !isStatus(error, 'NotFound')) throw error
      }
    }
  }

  async delete(kind: Kind, name: string, namespace = 'a'): Promise<void> {
    const key: Named = { namespace, name }
    if (this.find(kind, name, namespace)) await this.registry.delete(kind, key, {}, PERSON)
  }

  async resources(): Promise<readonly Resource[]> {
    const lists = await Promise.all(this.kinds.map((kind) => this.registry.list(kind, {})))
    return lists.flatMap((list) => list.items.map((item) => item.resource))
  }

  /** Everything people see, without what differs between two runs of the same story. */
  async dump(): Promise<readonly string[]> {
    return dumpOf(await this.resources())
  }

  /** What was counted since the last call. */
  counted(): { readonly runs: ReadonlyMap<string, number>; readonly writes: number } {
    const { runs, writes } = this
    this.runs = new Map()
    this.writes = 0
    return { runs, writes }
  }

  #counted(controller: Controller): Controller {
    return {
      ...controller,
      planner: (self, world) => {
        const key = `${self.kind} ${self.namespace}/${self.name}`
        this.runs.set(key, (this.runs.get(key) ?? 0) + 1)
        return controller.planner(self, world)
      },
    }
  }

  #metrics(): ControlMetrics {
    return { ...NO_METRICS, write: () => void this.writes++, cycle: () => void this.cycles++ }
  }
}

export const dumpOf = (resources: readonly Resource[]): readonly string[] =>
  resources
    .filter((r) => r.kind !== 'Namespace')
    .map((r) => JSON.stringify(stripped(r)))
    .toSorted()

function stripped({ apiVersion, kind, metadata, spec, status }: Resource): unknown {
  const { [OWNER_LABEL]: _, ...labels } = metadata.labels ?? {}
  return {
    apiVersion,
    kind,
    namespace: metadata.namespace,
    name: metadata.name,
    labels: sorted(labels),
    annotations: sorted(metadata.annotations ?? {}),
    owners: metadata.ownerReferences?.map((r) => `${r.kind}/${r.name}/${r.controller}`),
    finalizers: metadata.finalizers,
    spec: sorted(spec),
    status: sorted({
      ...status,
      conditions: status?.conditions?.map(({ type, status: is, reason, message }) => [type, is, reason, message]),
    }),
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .filter(([, v]) => v !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([k, v]) => [k, sorted(v)])
}
