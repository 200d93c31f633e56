import { addProcessMetrics, Counter, Gauge, Histogram, type Exposition } from '#lib/prometheus.ts'
import type { Registry } from '#registry/registry.ts'
import type { Limits } from './limits.ts'

export interface Metrics {
  /** One answered request; `kind` is empty for what is no resource. */
  record(request: {
    readonly verb: string
    readonly kind: string
    readonly code: number
    readonly seconds: number
  }): void
  /** Those of these names, or all. */
  expose(names: readonly string[]): Promise<{ readonly text: string; readonly type: string }>
}

interface Series {
  readonly total: { inc(): void }
  readonly duration: { observe(seconds: number): void }
}

const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
/** More combinations of verb, kind and code than there can be: a bound all the same. */
const MOST_SERIES = 5000

export function createMetrics(registry: Registry, limits: Limits, exposition: Exposition): Metrics {
  const registers = [exposition]
  const total = new Counter({
    name: 'stellwerk_apiserver_requests_total',
    help: 'Answered requests by verb, kind and status code.',
    labelNames: ['verb', 'kind', 'code'],
    registers,
  })
  const duration = new Histogram({
    name: 'stellwerk_apiserver_request_duration_seconds',
    help: 'Time to answer a request; for a watch, how long it lasted is not counted.',
    labelNames: ['verb', 'kind'],
    buckets: BUCKETS,
    registers,
  })
  addGauges(registry, limits, exposition)
  const known = new Map<string, Series>()
  let process: Promise<void> | undefined
  const seriesOf = (verb: string, kind: string, code: number): Series => {
    const key = `${verb} ${kind} ${code}`
    const found = known.get(key)
    if (found !== undefined) return found
    const series = { total: total.labels(verb, kind, String(code)), duration: duration.labels(verb, kind) }
    if (known.size < MOST_SERIES) known.set(key, series)
    return series
  }
  return {
    record: ({ verb, kind, code, seconds }) => {
      const series = seriesOf(verb, kind, code)
      series.total.inc()
      if (verb !== 'watch') series.duration.observe(seconds)
    },
    expose: async (names) => {
      if (names.length > 0) return { text: await some(exposition, names), type: exposition.contentType }
      await (process ??= addProcessMetrics(exposition))
      return { text: await exposition.metrics(), type: exposition.contentType }
    },
  }
}

async function some(exposition: Exposition, names: readonly string[]): Promise<string> {
  const there = new Set(exposition.getMetricsAsArray().map(({ name }) => name))
  const known = [...new Set(names)].filter((name) => there.has(name))
  const texts = await Promise.all(known.map((name) => exposition.getSingleMetricAsString(name)))
  return texts.map((text) => `${text}\n`).join('')
}

function addGauges(registry: Registry, limits: Limits, exposition: Exposition): void {
  const registers = [exposition]
  const inFlight = new Gauge({
    name: 'stellwerk_apiserver_in_flight',
    help: 'Requests under way, by lane (reads, writes, watches).',
    labelNames: ['lane'],
    registers,
    collect: () => {
      for (const lane of ['reads', 'writes', 'watches'] as const) inFlight.set({ lane }, limits.underWay(lane))
    },
  })
  const objects = new Gauge({
    name: 'stellwerk_store_objects',
    help: 'Stored objects by kind.',
    labelNames: ['kind'],
    registers,
    collect: async () => {
      for (const kind of registry.kinds.all) {
        const { items, remaining = 0 } = await registry.list(kind, { limit: 1 })
        objects.set({ kind: kind.plural }, items.length + remaining)
      }
    },
  })
  const revision = new Gauge({
    name: 'stellwerk_store_revision',
    help: 'Newest durable revision.',
    registers,
    collect: (): void => revision.set(registry.revision),
  })
}
