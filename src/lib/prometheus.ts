import { createRequire } from 'node:module'
import type * as prometheus from 'prom-client'

/**
 * The parts of prom-client that count. The whole of it also loads OpenTelemetry, for one of the numbers about the process:
 * 80 files and a quarter of what a start loads.
 */
const load = createRequire(import.meta.url)

export const Counter = load('prom-client/lib/counter') as typeof prometheus.Counter
export const Gauge = load('prom-client/lib/gauge') as typeof prometheus.Gauge
export const Histogram = load('prom-client/lib/histogram') as typeof prometheus.Histogram
export const Exposition = load('prom-client/lib/registry') as typeof prometheus.Registry
export type Exposition = prometheus.Registry

/** Numbers about the process itself, loaded when somebody asks for them. */
export async function addProcessMetrics(exposition: Exposition): Promise<void> {
  const { collectDefaultMetrics } = await import('prom-client')
  collectDefaultMetrics({ register: exposition })
}
