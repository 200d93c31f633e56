import type { IncomingMessage, ServerResponse } from 'node:http'
import type { User } from '#domain/kind.ts'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { Registry } from '#registry/registry.ts'
import type { Access } from './access.ts'
import type { Limits } from './limits.ts'
import type { Query } from './query.ts'

/** One authenticated request and the answer to it. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Without the query, not decoded. */
  readonly path: string
  readonly query: Query
  readonly user: User
}

/** What the handlers work with. */
export interface Api {
  readonly registry: Registry
  readonly access: Access
  readonly limits: Limits
  readonly clock: Clock
  readonly log: Log
  /** Aborts when the server stops: watches end. */
  readonly stopping: AbortSignal
}
