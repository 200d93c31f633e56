import { createRegistry } from '#registry/create-registry.ts'
import type { Body, Registry, WatchEvent, WatchOptions, WatchSink, WriteContext } from '#registry/registry.ts'
import { StatusError } from '#domain/errors.ts'
import { apiVersionOf, type Kind, type User } from '#domain/kind.ts'
import { KINDS } from '#domain/kinds/index.ts'
import { EventType } from '#domain/kinds/event/event-type.ts'
import type { Resource } from '#domain/object.ts'
import { ManualClock } from '#lib/clock.ts'
import { parseJson } from '#lib/json.ts'
import { openMemoryStore } from '#store/memory.ts'
import type { Store } from '#store/store.ts'

export const ALICE: User = { name: 'alice', groups: ['people'] }
export const PLATFORM: User = { name: 'platform', groups: [], platform: true }
export const asAlice: WriteContext = { user: ALICE }
export const asPlatform: WriteContext = { user: PLATFORM }
export const SECRET_KEY = new Uint8Array(32).fill(7)

export interface Fixture {
  readonly store: Store
  readonly registry: ReturnType<typeof createRegistry>
  readonly clock: ManualClock
}

export function fixture(store: Store = openMemoryStore(), kinds: readonly Kind[] = KINDS): Fixture {
  const clock = new ManualClock(Date.UTC(2030, 0, 2, 3, 4, 5, 678))
  return { store, clock, registry: createRegistry({ store, kinds, secretKey: SECRET_KEY, clock }) }
}

export const body = (value: unknown, duplicates: readonly string[] = []): Body => ({ value, duplicates })

/** A body as a client would send it. */
export const sent = (text: string): Body => parseJson(text)

export interface Extra {
  readonly metadata?: Record<string, unknown>
  readonly spec?: Record<string, unknown>
  readonly [field: string]: unknown
}

/** A valid EventType; `metadata` and `spec` are merged over it. */
export function eventType(name: string, { metadata, spec, ...rest }: Extra = {}): Record<string, unknown> {
  return {
    apiVersion: apiVersionOf(EventType),
    kind: EventType.kind,
    metadata: { name, ...metadata },
    spec: { type: 'de.vendor.demo.v1', version: '1.0.0', ...spec },
    ...rest,
  }
}

export async function refusal(promise: Promise<unknown>): Promise<StatusError> {
  const error: unknown = await promise.then(
    () => new Error('nothing was refused'),
    (reason: unknown) => reason,
  )
  if (error instanceof StatusError) return error
  throw error
}

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

export interface Recording {
  readonly events: { readonly type: string; readonly resource: Resource; readonly line: string }[]
  readonly caughtUp: number[]
  readonly sink: WatchSink
  /** Resolves once `done` holds; asked after every call of the sink. */
  until(done: (recording: Recording) => boolean): Promise<void>
}

export function record(): Recording {
  const waiting: { readonly done: (r: Recording) => boolean; readonly resolve: () => void }[] = []
  const check = (): void => {
    for (const waiter of waiting.splice(0))
      if (waiter.done(recording)) waiter.resolve()
      else waiting.push(waiter)
  }
  const recording: Recording = {
    events: [],
    caughtUp: [],
    sink: {
      event: (event: WatchEvent) => {
        recording.events.push({ type: event.type, resource: event.stored.resource, line: textOf(event.line) })
        check()
      },
      caughtUp: (revision) => {
        recording.caughtUp.push(revision)
        check()
      },
      expired: (message) => {
        throw new Error(message)
      },
    },
    until: (done) => new Promise((resolve) => (done(recording) ? resolve() : waiting.push({ done, resolve }))),
  }
  return recording
}

/** Watches until the state or the replay is there. */
export async function watching(
  registry: Registry,
  kind: Kind,
  options: WatchOptions,
): Promise<Recording & { close(): void }> {
  const recording = record()
  const { close } = await registry
    .watch(kind, options, recording.sink)
    .then((watch) => ({ close: () => watch.close() }))
  await recording.until((r) => r.caughtUp.length > 0)
  return { ...recording, close }
}

export const names = (events: Recording['events']): string[] =>
  events.map(({ type, resource }) => `${type} ${resource.metadata.name}`)
