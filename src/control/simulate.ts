import { equal } from '#domain/equal.ts'
import type { Kind } from '#domain/kind.ts'
import type { Named, Resource } from '#domain/object.ts'
import type { Installation } from '#domain/plan/world.ts'
import { ManualClock } from '#lib/clock.ts'
import { SILENT } from '#lib/silent-log.ts'
import { applied, type Actuator } from './actuator.ts'
import type { Controller } from './controller.ts'
import { Engine } from './engine.ts'
import { entityOf } from './entity.ts'
import { changedFacets } from './facets.ts'
import { Overlay } from './overlay.ts'

export type SimulatedChange =
  /** Creates the object, or replaces its spec and what the metadata given here says. */
  | { readonly type: 'apply'; readonly kind: Kind; readonly resource: Pick<Resource, 'metadata' | 'spec'> }
  | { readonly type: 'delete'; readonly kind: Kind; readonly ref: Named }

export interface Simulation {
  readonly resources: Iterable<Resource>
  readonly changes: readonly SimulatedChange[]
  readonly controllers: readonly Controller[]
  readonly kinds: readonly Kind[]
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly installation: Installation
}

export interface Simulated {
  readonly resources: readonly Resource[]
  /** What the changes led to, by object. Only what people see differ counts: versions and times do not. */
  readonly differences: readonly Difference[]
}

export interface Difference {
  readonly before: Resource | undefined
  readonly after: Resource | undefined
}

/**
 * The world after these changes, computed by the very engine that would carry them out, on a copy. Effects outside are
 * assumed to succeed; nothing is written anywhere. @throws StatusError when a change would be refused
 */
export async function simulate(simulation: Simulation): Promise<Simulated> {
  const { resources, changes, kinds, now, installation } = simulation
  const before = new Map(Array.from(resources, (resource) => [entityOf(resource), resource]))
  const overlay = new Overlay({ resources: before.values(), kinds, now })
  const stop = new AbortController()
  const controllers = simulation.controllers.map(assuming)
  const engine = new Engine({
    source: overlay,
    controllers,
    kinds,
    installation,
    clock: new ManualClock(now),
    log: SILENT,
    graceMs: 0,
  })
  const running = engine.run(stop.signal)
  try {
    for (const change of changes) await perform(overlay, change)
    await engine.settle()
  } finally {
    stop.abort()
    await running
  }
  const after = [...overlay.resources]
  return { resources: after, differences: differencesOf(before, new Map(after.map((r) => [entityOf(r), r]))) }
}

async function perform(overlay: Overlay, change: SimulatedChange): Promise<void> {
  if (change.type === 'delete') return overlay.delete(change.kind, change.ref)
  const { kind, resource } = change
  const { metadata, spec } = resource
  const old = overlay.find(kind, { namespace: metadata.namespace ?? '', name: metadata.name })
  if (old === undefined) await overlay.create(kind, { metadata, spec })
  else await overlay.update(kind, { ...old, metadata: { ...old.metadata, ...metadata }, spec })
}

const assuming = (controller: Controller): Controller =>
  controller.actuator === undefined ? controller : { ...controller, actuator: assumed(controller.actuator) }

const assumed = (actuator: Actuator): Actuator => ({
  apply: (self, effect) => Promise.resolve(applied(actuator.assume?.(self, effect))),
  remove: () => Promise.resolve(applied()),
})

function differencesOf(
  before: ReadonlyMap<string, Resource>,
  after: ReadonlyMap<string, Resource>,
): readonly Difference[] {
  const entities = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return entities
    .map((entity) => ({ before: before.get(entity), after: after.get(entity) }))
    .filter((pair) => isDifferent(pair.before, pair.after))
}

const isDifferent = (before: Resource | undefined, after: Resource | undefined): boolean =>
  before !== after &&
  (changedFacets(before, after) !== 0 || !equal(before?.metadata.finalizers, after?.metadata.finalizers))
