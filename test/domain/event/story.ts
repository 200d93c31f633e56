import assert from 'node:assert/strict'
import { Engine } from '#control/engine.ts'
import { Overlay } from '#control/overlay.ts'
import type { SendHttp } from '#controllers/actuators/http-call.ts'
import { eventControllers } from '#controllers/event.ts'
import { platformControllers } from '#controllers/platform.ts'
import type { Kind, ResourceOf } from '#domain/kind.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { Route } from '#domain/kinds/gateway/route.ts'
import type { Condition, Named, Resource } from '#domain/object.ts'
import { ManualClock } from '#lib/clock.ts'
import { SILENT } from '#lib/silent-log.ts'
import type { Transaction } from '#source/source.ts'

const START = Date.parse('2026-01-01T00:00:00Z')

export interface Draft {
  readonly kind: Kind
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels?: Record<string, string> }
  readonly spec: any
}

/** The server of a story: counts what is written, and knows every secret. */
class Source extends Overlay {
  readonly statusWrites = new Map<string, number>()
  readonly specWrites = new Map<string, number>()

  override async resolveSecret(): Promise<any> {
    return 'clear text'
  }
  /** However often a turn writes an object, it is stored once. */
  override begin(): Transaction {
    const inner = super.begin()
    const once = (writes: Map<string, number>) => {
      const seen = new Set<string>()
      return (kind: Kind, object: Pick<Resource, 'metadata'>): void => {
        const key = keyOf(kind, object)
        if (!seen.has(key)) count(writes, kind, object)
        seen.add(key)
      }
    }
    const [status, spec] = [once(this.statusWrites), once(this.specWrites)]
    return {
      ...inner,
      create: (kind, draft) => (spec(kind, draft), inner.create(kind, draft)),
      update: (kind, resource) => (spec(kind, resource), inner.update(kind, resource)),
      updateStatus: (kind, resource) => (status(kind, resource), inner.updateStatus(kind, resource)),
    }
  }
  override async create(kind: Kind, draft: { metadata: Resource['metadata']; spec: unknown }): Promise<any> {
    count(this.specWrites, kind, draft)
    return super.create(kind, draft)
  }
  override async update(kind: Kind, resource: Resource): Promise<any> {
    count(this.specWrites, kind, resource)
    return super.update(kind, resource)
  }
}

const keyOf = (kind: Kind, { metadata }: Pick<Resource, 'metadata'>): string =>
  `${kind.kind} ${metadata.namespace ?? ''}/${metadata.name}`

function count(writes: Map<string, number>, kind: Kind, object: Pick<Resource, 'metadata'>): void {
  const key = keyOf(kind, object)
  writes.set(key, (writes.get(key) ?? 0) + 1)
}

/** What a configuration backend outside holds, by address. */
export class Backend {
  readonly subscriptions = new Map<string, any>()
  readonly calls: string[] = []
  readonly bodies: string[] = []
  /** What it answers instead of doing anything. */
  refuse: number | ((url: string) => number | Promise<never> | undefined) | undefined
  /** What becomes of its answer to a PUT that it has carried out. */
  lose: (() => number) | undefined

  readonly send: SendHttp = async ({ method, url, body }) => {
    if (method === 'POST') return { status: 200, retryAfter: null, text: '{"access_token":"t","expires_in":300}' }
    this.calls.push(`${method} ${url}`)
    this.bodies.push(body)
    const refused = typeof this.refuse === 'function' ? await this.refuse(url) : this.refuse
    if (refused !== undefined) return { status: refused, retryAfter: null, text: '' }
    if (method === 'PUT') this.subscriptions.set(url, JSON.parse(body))
    else this.subscriptions.delete(url)
    const status = method === 'PUT' ? (this.lose?.() ?? 200) : 204
    return { status, retryAfter: null, text: '' }
  }
}

/** A world that lives: changes go in, the engine runs until nothing is left to do. */
export class Story {
  readonly backend = new Backend()
  readonly #clock = new ManualClock(START)
  readonly #source: Source
  readonly #engine: Engine
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  constructor(resources: Iterable<Resource> = [], graceMs = 500) {
    this.#source = new Source({ resources, kinds: KINDS, now: START })
    const controllers = [...platformControllers(), ...eventControllers({ send: this.backend.send, clock: this.#clock })]
    this.#engine = new Engine({
      graceMs,
      random: () => 0.5,
      source: this.#source,
      controllers,
      kinds: KINDS,
      installation: { issuerBase: 'https://issuer.example' },
      clock: this.#clock,
      log: SILENT,
    })
    this.#running = this.#engine.run(this.#stop.signal)
  }

  static async of(drafts: readonly Draft[]): Promise<Story> {
    const story = new Story()
    await story.apply(...drafts)
    return story
  }

  get resources(): readonly Resource[] {
    return [...this.#source.resources]
  }

  /** Creates or replaces, then lets the world settle. */
  async apply(...drafts: readonly Draft[]): Promise<void> {
    await this.write(...drafts)
    await this.settle()
  }

  /** Creates or replaces, and waits for nothing. */
  async write(...drafts: readonly Draft[]): Promise<void> {
    for (const { kind, metadata, spec } of drafts) {
      const old = this.#source.find(kind, metadata)
      if (old === undefined) await this.#source.create(kind, { metadata, spec })
      else await this.#source.update(kind, { ...old, metadata: { ...old.metadata, ...metadata }, spec })
    }
  }

  /** Changes a spec in place, as `kubectl patch` would. */
  async change(kind: Kind, ref: Named, change: (spec: any) => any): Promise<void> {
    const old = this.get(kind, ref)
    await this.#source.update(kind, { ...old, spec: change(old.spec) })
    await this.settle()
  }

  /** Writes a status by hand, as nobody should. */
  async say(kind: Kind, ref: Named, change: (status: any) => any): Promise<void> {
    const old = this.get(kind, ref)
    await this.#source.updateStatus(kind, { ...old, status: change(old.status) })
    await this.settle()
  }

  async delete(kind: Kind, ref: Named): Promise<void> {
    await this.drop(kind, ref)
    await this.settle()
  }

  /** Deletes, and waits for nothing. */
  drop(kind: Kind, ref: Named): Promise<void> {
    return this.#source.delete(kind, ref)
  }

  async settle(): Promise<void> {
    await this.#engine.settle()
    for (let i = 0; i < 20; i++) {
      this.#clock.advance(1000)
      await this.#engine.settle()
    }
  }

  /** Runs what was started and returns the writes meanwhile, by object. */
  async counting(work: () => Promise<void>): Promise<{ status: Map<string, number>; spec: Map<string, number> }> {
    this.#source.statusWrites.clear()
    this.#source.specWrites.clear()
    await work()
    return { status: new Map(this.#source.statusWrites), spec: new Map(this.#source.specWrites) }
  }

  find<K extends Kind>(kind: K, ref: Named): ResourceOf<K> | undefined {
    return this.#source.find(kind, ref) as ResourceOf<K> | undefined
  }

  get<K extends Kind>(kind: K, ref: Named): ResourceOf<K> {
    const found = this.find(kind, ref)
    assert.ok(found, `${kind.kind} ${ref.namespace}/${ref.name} does not exist`)
    return found
  }

  all<K extends Kind>(kind: K): readonly ResourceOf<K>[] {
    return this.resources.filter((r) => r.kind === kind.kind) as ResourceOf<K>[]
  }

  /** `Ready` as people read it. */
  ready(kind: Kind, ref: Named): string {
    const { status, reason } = this.condition(kind, ref, 'Ready')
    return status === 'True' ? 'True' : `${status}/${reason}`
  }

  condition(kind: Kind, ref: Named, type: string): Pick<Condition, 'status' | 'reason' | 'message'> {
    const conditions = (this.get(kind, ref).status?.conditions ?? []) as readonly Condition[]
    return conditions.find((c) => c.type === type) ?? { status: 'Unknown', reason: 'Unknown', message: '' }
  }

  eventRoutes(): readonly ResourceOf<typeof Route>[] {
    return this.all(Route).filter((r) => r.metadata.labels?.['cp.ei.vendor.de/domain'] === 'event')
  }

  async end(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }
}

/** Tells a tale in a world of these drafts, and ends the world whatever happens. */
export async function told(drafts: readonly Draft[], tale: (story: Story) => Promise<void> | void): Promise<void> {
  const story = await Story.of(drafts)
  try {
    await tale(story)
  } finally {
    await story.end()
  }
}
