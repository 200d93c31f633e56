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
  return {
    depth: (objects) => depth.set(objects),
    run: (kind, seconds) => duration.observe({ kind }, seconds),
    requeue: (kind, cause) => requeues.inc({ kind, cause }),
    write: (kind, verb) => writes.inc({ kind, verb }),
    error: (kind) => errors.inc({ kind }),
    cycle: (kind) => cycles.inc({ kind }),
  }
}
