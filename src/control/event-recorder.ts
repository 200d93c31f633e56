import { setImmediate } from 'node:timers/promises'
import { isStatus } from '#domain/errors.ts'
import { Event } from '#domain/kinds/core/event.ts'
import type { Condition, Resource } from '#domain/object.ts'
import { hash } from '#domain/names.ts'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { ResourceSource } from '#source/source.ts'
import { timeText } from './fold.ts'
import { inSlices } from './in-slices.ts'
import { type Extent, isNews, isTrouble, sayingOf } from './story.ts'

interface Options {
  readonly source: ResourceSource
  readonly clock: Clock
  readonly log: Log
  /** How much of the story of an object is told. */
  readonly extent: (resource: Resource) => Extent
}

interface Note {
  readonly resource: Resource
  readonly says: Condition
  readonly atMs: number
}

/** By reason, what is to be told of an object, the oldest first: of one reason only what was said last. */
type Notes = ReadonlyMap<string, Note>

interface Told {
  readonly count: number
  readonly first: string
  readonly message: string
}

/** Transitions of a moment are told together. */
const PAUSE_MS = 200
/** Objects told of at a time, then others get their turn: a story may be told late, but must not hold up what it tells of. */
const PORTION = 20
/** While no more happens than is told in the long pauses, they are shorter, and this many times what the telling took. */
const SHORTEST_PAUSE_MS = 20
const REST = 2
/** Beyond this many objects to tell of the oldest are dropped, and beyond as many remembered stories their counts. */
const MOST = 10_000
const LONGEST_MESSAGE = 1024

/**
 * Tells the story of an object as core Events, which `kubectl describe` shows: one Event per object, reason and message,
 * counted up when it comes again, owned by the object and therefore gone with it.
 *
 * Whoever describes an object wants to know why it is not ready, or has just changed it: that is told first, and of what waits
 * for long only the end.
 */
export class EventRecorder {
  readonly #options: Options
  /** By uid, in the order things happened. */
  readonly #unready = new Map<string, Notes>()
  readonly #ready = new Map<string, Notes>()
  readonly #told = new Map<string, Told>()
  #isBurst = false
  #noted = 0
  #notedSinceMs = 0
  #running: Promise<void> | undefined
  #cancel: (() => void) | undefined
  #stopped = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Takes note of a change if the object says something else now; of what is gone nothing more is told. */
  observe(before: Resource | undefined, after: Resource | undefined): void {
    if (after === undefined) this.#forget(before?.metadata.uid ?? '')
    if (before === undefined || after === undefined || this.#stopped) return
    const says = sayingOf(after)
    if (says === undefined || !isNews(before, after, this.#options.extent(after))) return
    this.#note({ resource: after, says, atMs: this.#options.clock.now() })
    this.#schedule(PAUSE_MS)
  }

  #note(note: Note): void {
    if (this.#untold === 0) this.#countFrom(note.atMs)
    const { uid = '' } = note.resource.metadata
    const isBehind = this.#untold > PORTION
    const earlier = isBehind ? [] : [...(this.#unready.get(uid) ?? this.#ready.get(uid) ?? [])]
    const notes = new Map(earlier.filter(([reason]) => reason !== note.says.reason)).set(note.says.reason, note)
    this.#forget(uid)
    const place = note.says.status === 'True' ? this.#ready : this.#unready
    place.set(uid, notes)
    this.#noted++
    if (this.#untold > MOST) dropOldest(this.#ready.size > 0 ? this.#ready : this.#unready)
  }

  #countFrom(nowMs: number): void {
    this.#noted = 0
    this.#notedSinceMs = nowMs
  }

  get #untold(): number {
    return this.#unready.size + this.#ready.size
  }

  #forget(uid: string): void {
    this.#unready.delete(uid)
    this.#ready.delete(uid)
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

  #schedule(pauseMs: number): void {
    if (this.#cancel !== undefined || this.#running !== undefined) return
    const { clock } = this.#options
    this.#cancel = clock.setTimer(clock.now() + pauseMs, () => void this.#tellSome())
  }

  async #tellSome(): Promise<void> {
    const { clock } = this.#options
    const beganMs = clock.now()
    const countedMs = beganMs - this.#notedSinceMs
    if (countedMs >= PAUSE_MS) {
      this.#isBurst = this.#noted * PAUSE_MS > PORTION * countedMs
      this.#countFrom(beganMs)
    }
    await this.#start(PORTION)
    if (this.#untold === 0 || this.#stopped) return
    const rest = Math.max(SHORTEST_PAUSE_MS, REST * (clock.now() - beganMs))
    this.#schedule(this.#isBurst ? PAUSE_MS : Math.min(rest, PAUSE_MS))
  }

  #start(most: number): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    this.#running ??= this.#tellNext(most).finally(() => (this.#running = undefined))
    return this.#running
  }

  /** They are stored together as far as they come together. */
  async #tellNext(most: number): Promise<void> {
    const next = [...newest(this.#unready, most), ...newest(this.#ready, most)].slice(0, most).values()
    const telling: Promise<void>[] = []
    const step = (): boolean => {
      const { value } = next.next()
      if (value !== undefined) telling.push(this.#tellOf(value))
      return value !== undefined
    }
    await inSlices({ step, hasRoom: () => !this.#stopped, giveWay: () => setImmediate() })
    await Promise.all(telling)
  }

  async #tellOf(uid: string): Promise<void> {
    const notes = this.#unready.get(uid) ?? this.#ready.get(uid)
    this.#forget(uid)
    for (const note of notes?.values() ?? []) {
      const name = nameOf(note)
      try {
        await this.#tell(name, note)
      } catch (error) {
        // Into a namespace that is being emptied nothing comes any more.
        if (!isStatus(error, 'Forbidden')) this.#options.log.warn('an event could not be told', { name, error })
      }
    }
  }

  async #tell(name: string, note: Note): Promise<void> {
    const { source } = this.#options
    const namespace = note.resource.metadata.namespace ?? 'default'
    const key = `${namespace}/${name}`
    const now = timeText(note.atMs)
    const message = note.says.message.slice(0, LONGEST_MESSAGE)
    const known = this.#told.get(key)
    const earlier = known?.message === message ? known : undefined
    const told: Told = { count: (earlier?.count ?? 0) + 1, first: earlier?.first ?? now, message }
    const draft = eventOf(note, { name, namespace, now, ...told })
    try {
      await source.create(Event, draft)
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists')) throw error
      await source.delete(Event, { namespace, name })
      await source.create(Event, draft)
    }
    this.#told.set(key, told)
    if (this.#told.size > MOST) dropOldest(this.#told)
  }
}

/**
 * The same words of the same object are the same Event, also after a restart. Two letters leave a hundred places for what an
 * object says for one reason: when the words are never the same, new ones take the places of old ones and do not pile up.
 */
const nameOf = ({ resource: { metadata }, says }: Note): string => {
  const suffix = hash(`${metadata.uid}/${says.reason}/${hash(says.message).slice(-2)}`)
  return `${metadata.name.slice(0, 252 - suffix.length).replace(/[.-]+$/, '')}.${suffix}`
}

interface Particulars extends Told {
  readonly name: string
  readonly namespace: string
  readonly now: string
}

function eventOf({ resource, says }: Note, event: Particulars): Parameters<ResourceSource['create']>[1] & object {
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
    type: isTrouble(resource) ? 'Warning' : 'Normal',
    reason: says.reason,
    message: event.message,
    count: event.count,
    firstTimestamp: event.first,
    lastTimestamp: event.now,
    source: { component: 'stellwerk' },
    reportingComponent: 'stellwerk',
  } as Parameters<ResourceSource['create']>[1]
}

const newest = (notes: ReadonlyMap<string, Notes>, most: number): readonly string[] =>
  [...notes.keys()].slice(-Math.min(most, notes.size || 1)).toReversed()

function dropOldest(map: Map<string, unknown>): void {
  const oldest = map.keys().next().value
  if (oldest !== undefined) map.delete(oldest)
}
