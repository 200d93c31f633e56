import { Worker } from 'node:worker_threads'
import { badRequest, StatusError } from '#domain/errors.ts'
import type { Reading } from './openapi/read-description.ts'
import type { YamlAsJson } from './parse-yaml.ts'

/** What the thread can do, and what comes out. */
export interface YamlTasks {
  /** A document of a stranger in the words of JSON. */
  readonly read: YamlAsJson
  /** JSON of our own as YAML. */
  readonly write: Uint8Array
  /** What a description of an API says. */
  readonly describe: Reading
}

export interface YamlQuestion {
  readonly id: number
  readonly task: keyof YamlTasks
  readonly bytes: Uint8Array
}

export type YamlAnswer = { readonly id: number } & (
  | { readonly result: YamlTasks[keyof YamlTasks] }
  | { readonly refused: string }
  | { readonly bug: string }
)

interface Waiting {
  readonly resolve: (result: any) => void
  readonly reject: (error: Error) => void
}

/** A thread that nobody has needed for so long gives its memory back. */
const IDLE_MS = 30_000
/** Many times what a body within the limits needs. */
const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 12 }

/** More than this takes tens of milliseconds and more. */
const SMALL = 8 * 1024

/** One thread for what is soon done and one for what is not, so that nobody waits long for something short. */
const threads = new Map<'small' | 'large', YamlThread>()

/**
 * Has YAML read or written while others are served: even a little of it takes milliseconds, and loading the reader takes
 * tens. Two threads for all: YAML is rare (kubectl sends JSON), and whoever sends it waits for others who do.
 * @throws StatusError BadRequest, RequestEntityTooLarge, TooManyRequests
 */
export function yamlAside<T extends keyof YamlTasks>(task: T, bytes: Uint8Array): Promise<YamlTasks[T]> {
  const lane = bytes.length > SMALL ? 'large' : 'small'
  const thread = threads.get(lane) ?? new YamlThread(() => threads.delete(lane))
  threads.set(lane, thread)
  return thread.ask(task, bytes)
}

class YamlThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #gone: () => void
  #idle: NodeJS.Timeout | undefined
  #last = 0

  constructor(gone: () => void) {
    this.#gone = gone
    this.#worker = new Worker(new URL('yaml-worker.ts', import.meta.url), { name: 'yaml', resourceLimits: MEMORY })
    this.#worker.on('message', (answer: YamlAnswer) => this.#answered(answer))
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('the thread that reads YAML has ended')))
  }

  ask<T extends keyof YamlTasks>(task: T, bytes: Uint8Array): Promise<YamlTasks[T]> {
    clearTimeout(this.#idle)
    this.#worker.ref()
    return new Promise((resolve, reject) => {
      const id = ++this.#last
      this.#waiting.set(id, { resolve, reject })
      // A view of something larger would take all of it along.
      const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes)
      this.#worker.postMessage({ id, task, bytes: own } satisfies YamlQuestion)
    })
  }

  #answered(answer: YamlAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if ('result' in answer) waiting?.resolve(answer.result)
    else waiting?.reject('refused' in answer ? badRequest(answer.refused) : new Error(answer.bug))
    if (this.#waiting.size > 0) return
    // While it has nothing to do, it keeps nothing alive.
    this.#worker.unref()
    this.#idle = setTimeout(() => this.#retire(), IDLE_MS).unref()
  }

  #retire(): void {
    this.#gone()
    void this.#worker.terminate()
  }

  /** The one it was busy with was too much for it; the others can try again. */
  #end(error: Error): void {
    this.#gone()
    const [guilty, ...others] = this.#waiting.values()
    this.#waiting.clear()
    guilty?.reject(isOutOfMemory(error) ? tooLarge() : error)
    for (const { reject } of others)
      reject(new StatusError('TooManyRequests', 'reading YAML was interrupted; try again', { retryAfterSeconds: 1 }))
  }
}

const isOutOfMemory = (error: NodeJS.ErrnoException): boolean => error.code === 'ERR_WORKER_OUT_OF_MEMORY'

const tooLarge = (): StatusError =>
  new StatusError('RequestEntityTooLarge', 'this takes too much memory as YAML; use JSON instead')
