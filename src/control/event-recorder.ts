import { findCondition } from '#domain/condition.ts'
import { isStatus } from '#domain/errors.ts'
import { Event } from '#domain/kinds/core/event.ts'
import type { Condition, Resource } from '#domain/object.ts'
import { hash } from '#domain/names.ts'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { ResourceSource } from '#source/source.ts'
import { timeText } from './fold.ts'

interface Options {
  readonly source: ResourceSource
  readonly clock: Clock
  readonly log: Log
  /** Whose story is told; children of these speak through their owner's conditions. */
  readonly tells: (resource: Resource) => boolean
}

interface Note {
  readonly resource: Resource
  readonly ready: Condition
}

interface Told {
  readonly count: number
  readonly first: string
}

/** Transitions of a moment are told together: what an object went through in between interests nobody. */
const PAUSE_MS = 200
/** Told at a time, then others get their turn: a story may be told late, but must not hold up what it tells of. */
const PORTION = 20
/** Beyond this many untold notes the oldest are dropped, and beyond as many remembered stories their counts. */
const MOST = 10_000
const ALARMING = new Set(['Error', 'ValidationFailed', 'AccessDenied', 'Blocked'])

/**
 * Tells the story of an object as core Events, which `kubectl describe` shows: one Event per object and reason of Ready,
 * counted up when it comes again, owned by the object and therefore gone with it.
 */
export class EventRecorder {
  readonly #options: Options
  readonly #notes = new Map<string, Note>()
  readonly #told = new Map<string, Told>()
  #running: Promise<void> | undefined
  #cancel: (() => void) | undefined
  #stopped = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Takes note of a change if Ready has another status or reason now. */
  observe(before: Resource | undefined, after: Resource | undefined): void {
    const ready = findCondition(after?.status?.conditions, 'Ready')
    if (after === undefined || ready === undefined || this.#stopped || !this.#options.tells(after)) return
    if (before === undefined) return
    const was = findCondition(before.status?.conditions, 'Ready')
    if (was?.status === ready.status && was.reason === ready.reason) return
    this.#notes.set(nameOf(after, ready.reason), { resource: after, ready })
    dropOldest(this.#notes)
    this.#schedule()
  }

  /** Waits for the Event being written; what is not told by then is not told. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel?.()
    await this.#running
  }

  /** Tells everything noted so far, now. */
  tell(): Promise<void> {
    return this.#start(Infinity)
  }

  #schedule(): void {
    if (this.#cancel !== undefined || this.#running !== undefined) return
    const { clock } = this.#options
    this.#cancel = clock.setTimer(clock.now() + PAUSE_MS, () => void this.#tellSome())
  }

  async #tellSome(): Promise<void> {
    await this.#start(PORTION)
    if (this.#notes.size > 0 && !this.#stopped) this.#schedule()
  }

  #start(most: number): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    this.#running ??= this.#tellNext(most).finally(() => (this.#running = undefined))
    return this.#running
  }

  async #tellNext(most: number): Promise<void> {
    let left = most
    for (const [name, note] of this.#notes) {
      if (this.#stopped || left-- === 0) return
      this.#notes.delete(name)
      try {
        await this.#tell(name, note)
      } catch (error) {
        this.#options.log.warn('an event could not be told', { name, error })
      }
    }
  }

  async #tell(name: string, note: Note): Promise<void> {
    const { source, clock } = this.#options
    const namespace = note.resource.metadata.namespace ?? 'default'
    const key = `${namespace}/${name}`
    const now = timeText(clock.now())
    const told: Told = { count: (this.#told.get(key)?.count ?? 0) + 1, first: this.#told.get(key)?.first ?? now }
    const draft = eventOf(note, { name, namespace, now, ...told })
    try {
      await source.create(Event, draft)
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists')) throw error
      await source.delete(Event, { namespace, name })
      await source.create(Event, draft)
    }
    this.#told.set(key, told)
    dropOldest(this.#told)
  }
}

/** The same reason of the same object is the same Event, also after a restart. */
const nameOf = ({ metadata }: Resource, reason: string): string => {
  const suffix = hash(`${metadata.uid}/${reason}`)
  return `${metadata.name.slice(0, 252 - suffix.length).replace(/[.-]+$/, '')}.${suffix}`
}

interface Particulars extends Told {
  readonly name: string
  readonly namespace: string
  readonly now: string
}

function eventOf({ resource, ready }: Note, event: Particulars): Parameters<ResourceSource['create']>[1] & object {
  const { apiVersion, kind, metadata } = resource
  const uid = metadata.uid ?? ''
  return {
    metadata: {
      name: event.name,
      namespace: event.namespace,
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid }],
    },
    spec: undefined,
    involvedObject: { apiVersion, kind, namespace: event.namespace, name: metadata.name, uid },
    type: ready.status !== 'True' && ALARMING.has(ready.reason) ? 'Warning' : 'Normal',
    reason: ready.reason,
    message: ready.message.slice(0, 1024),
    count: event.count,
    firstTimestamp: event.first,
    lastTimestamp: event.now,
    source: { component: 'stellwerk' },
    reportingComponent: 'stellwerk',
  } as Parameters<ResourceSource['create']>[1]
}

function dropOldest(map: Map<string, unknown>): void {
  if (map.size <= MOST) return
  const oldest = map.keys().next().value
  if (oldest !== undefined) map.delete(oldest)
}
