import type { ControlMetrics } from '#control/metrics.ts'
import { Counter, Gauge, Histogram, type Exposition } from '#lib/prometheus.ts'

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** The engine's counters in the exposition that /metrics shows. */
export function createControlMetrics(exposition: Exposition): ControlMetrics {
  const registers = [exposition]
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name: `stellwerk_control_${name}`, help, labelNames, registers })
  const depth = new Gauge({ name: 'stellwerk_control_queue_depth', help: 'Objects waiting to be planned.', registers })
  const duration = new Histogram({
    name: 'stellwerk_control_run_duration_seconds',
    help: 'Time to plan an object and to write what follows, by kind.',
    labelNames: ['kind'],
    buckets: BUCKETS,
    registers,
  })
  const requeues = counter('requeues_total', 'Why objects were planned again, by kind and cause.', ['kind', 'cause'])
  const writes = counter('writes_total', 'Writes of the engine, by kind and verb.', ['kind', 'verb'])
  const errors = counter('errors_total', 'Plans and writes that failed, by kind.', ['kind'])
  const cycles = counter('cycles_total', 'Plans stopped because they undid themselves, by kind.', ['kind'])
  const runsOf = remembering((kind) => duration.labels(kind))
  const requeuesOf = remembering((kind, cause) => requeues.labels(kind, cause))
  const writesOf = remembering((kind, verb) => writes.labels(kind, verb))
  return {
    depth: (objects) => depth.set(objects),
    run: (kind, seconds) => runsOf(kind, '').observe(seconds),
    requeue: (kind, cause) => requeuesOf(kind, cause).inc(),
    write: (kind, verb) => writesOf(kind, verb).inc(),
    error: (kind) => errors.inc({ kind }),
    cycle: (kind) => cycles.inc({ kind }),
  }
}

/** Finding a series by its labels costs more than counting; there are a few hundred of them. */
function remembering<T>(find: (first: string, second: string) => T): (first: string, second: string) => T {
  const known = new Map<string, Map<string, T>>()
  return (first, second) => {
    const inner = known.get(first) ?? new Map<string, T>()
    if (inner.size === 0) known.set(first, inner)
    let found = inner.get(second)
    if (found === undefined) inner.set(second, (found = find(first, second)))
    return found
  }
}
