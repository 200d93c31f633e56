import { Engine } from '#control/engine.ts'
import { EventRecorder } from '#control/event-recorder.ts'
import type { Extent } from '#control/story.ts'
import { createControlMetrics } from '#controllers/control-metrics.ts'
import { controllers } from '#controllers/index.ts'
import type { User } from '#domain/kind.ts'
import { Event } from '#domain/kinds/core/event.ts'
import { KINDS } from '#domain/kinds/index.ts'
import type { Resource } from '#domain/object.ts'
import { systemClock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { Exposition } from '#lib/prometheus.ts'
import { registrySource, type FollowableRegistry } from '#registry/source.ts'
import type { Config } from './config.ts'

export interface EngineParts {
  readonly registry: FollowableRegistry
  readonly config: Config
  readonly log: Log
  readonly exposition: Exposition
  /** As whom the controllers write. */
  readonly user: User
  /** See `EngineOptions`. */
  readonly giveWay: () => Promise<void> | undefined
}

const WRITTEN = new Set(KINDS.filter((kind) => kind.written === 'by-people').map((kind) => kind.kind))
const ACTING = new Set(controllers.filter((one) => one.actuator !== undefined).map((one) => one.kind.kind))

/**
 * What people write tells all of its story. What is derived speaks through the conditions of its owner, or one change would
 * be told by hundreds of Routes; only what acts outside (a Subscriber) tells of that itself.
 */
const extentOf = ({ kind }: Resource): Extent =>
  WRITTEN.has(kind) ? 'everything' : ACTING.has(kind) ? 'outside' : 'nothing'

/** Starts the controllers; the function it returns stops them and waits for the writes under way. */
export function startEngine({ registry, config, log, exposition, user, giveWay }: EngineParts): () => Promise<void> {
  const stop = new AbortController()
  const source = registrySource(registry, user)
  const part = log.with({ part: 'control' })
  const recorder = new EventRecorder({ source, clock: systemClock, log: part, extent: extentOf })
  const engine = new Engine({
    source,
    controllers,
    kinds: KINDS.filter((kind) => kind !== Event),
    installation: { issuerBase: config.issuerUrl },
    clock: systemClock,
    log: part,
    metrics: createControlMetrics(exposition),
    giveWay,
    observe: (before, after) => recorder.observe(before, after),
  })
  const done = engine.run(stop.signal)
  return async () => {
    stop.abort()
    await Promise.all([done, recorder.stop()])
  }
}
