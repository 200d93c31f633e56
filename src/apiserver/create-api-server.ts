import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import { Exposition } from '#lib/prometheus.ts'
import type { Registry } from '#registry/registry.ts'
import { mastersOnly, type Access } from './access.ts'
import type { Authenticator } from './authenticate.ts'
import { createDefinitions } from './definitions/serve-definitions.ts'
import { discoveryDocuments, rootDocument } from './documents/discovery.ts'
import type { Document } from './documents/document.ts'
import { healthDocuments, versionDocument } from './documents/health.ts'
import { metricsDocument } from './documents/metrics.ts'
import { openApiDocuments } from './documents/openapi.ts'
import { reviewDocuments } from './documents/reviews.ts'
import { servedResources } from './documents/served-resource.ts'
import type { Api } from './exchange.ts'
import { createHandler } from './handler.ts'
import { DEFAULT_LIMITS, Limits, type LimitOptions } from './limits.ts'
import { listen, type Address, type Listener, type ListenOptions } from './listen.ts'
import { createMetrics } from './metrics.ts'

export interface ApiServerOptions {
  readonly registry: Registry
  readonly authenticators: readonly Authenticator[]
  readonly clock: Clock
  readonly log: Log
  /** Of this software, shown in /version. */
  readonly version: string
  readonly access?: Access | undefined
  readonly limits?: Partial<LimitOptions> | undefined
  /** What /metrics shows besides the server's own numbers. */
  readonly exposition?: Exposition | undefined
}

export interface ApiServer {
  /** May be called several times: the same API on several addresses. */
  listen(address: Address, tls?: ListenOptions['tls']): Promise<Listener>
  /** Ends the watches, lets other requests finish for at most `graceMs`, then closes every connection. */
  close(graceMs: number): Promise<void>
  /** See `Limits`. */
  whenIdle(): Promise<void> | undefined
}

export function createApiServer(options: ApiServerOptions): ApiServer {
  const stop = new AbortController()
  const limits = new Limits({ ...DEFAULT_LIMITS, ...options.limits })
  const { registry, clock, log, access = mastersOnly } = options
  const api: Api = { registry, clock, log, access, limits, stopping: stop.signal }
  const metrics = createMetrics(registry, limits, options.exposition ?? new Exposition())
  const documents: Map<string, Document> = new Map<string, Document>([
    ...healthDocuments(() => (stop.signal.aborted ? 'the server is stopping' : undefined)),
    ...discoveryDocuments(servedResources(registry.kinds.all)),
    ...openApiDocuments(registry.kinds.all, options.version),
    ...reviewDocuments(),
    ['/version', versionDocument(options.version)],
    ['/metrics', metricsDocument(metrics)],
    ['/', rootDocument((): string[] => [...documents.keys()].toSorted())],
  ])
  const definitions = createDefinitions(registry.kinds, clock)
  const handler = createHandler({ api, authenticators: options.authenticators, documents, definitions, metrics })
  const listeners: Listener[] = []
  return {
    async listen(address, tls) {
      const listener = await listen({ ...address, handler, tls })
      listeners.push(listener)
      return listener
    },
    whenIdle: () => limits.whenIdle(),
    async close(graceMs) {
      stop.abort()
      await Promise.all(listeners.map((listener) => listener.close(graceMs)))
    },
  }
}
