import { Worker } from 'node:worker_threads'
import { badRequest, StatusError } from '#domain/errors.ts'
import type { YamlAsJson } from './parse-yaml.ts'

/** What the thread answers, in the order it was asked. */
export type YamlAnswer = YamlAsJson | { readonly refused: string } | { readonly bug: string }

interface Waiting {
  readonly resolve: (read: YamlAsJson) => void
  readonly reject: (error: Error) => void
}

/** A thread that nobody has needed for so long gives its memory back. */
const IDLE_MS = 10_000
/** Many times what a body within the limits needs. */
const MEMORY = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

/** One thread for all: large YAML is rare, and whoever sends it waits for others who do, not everybody for them. */
let thread: YamlThread | undefined

/** Reads a large YAML document while others are served. @throws StatusError BadRequest, RequestEntityTooLarge */
export function readYamlAside(bytes: Uint8Array): Promise<YamlAsJson> {
  thread ??= new YamlThread(() => (thread = undefined))
  return thread.read(bytes)
}

class YamlThread {
  readonly #worker: Worker
  readonly #waiting: Waiting[] = []
  readonly #gone: () => void
  #idle: NodeJS.Timeout | undefined

  constructor(gone: () => void) {
    this.#gone = gone
    this.#worker = new Worker(new URL('yaml-worker.ts', import.meta.url), { name: 'yaml', resourceLimits: MEMORY })
    this.#worker.unref()
    this.#worker.on('message', (answer: YamlAnswer) => this.#answered(answer))
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('the thread that reads YAML has ended')))
  }

  read(bytes: Uint8Array): Promise<YamlAsJson> {
    clearTimeout(this.#idle)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#worker.postMessage(bytes)
    })
  }

  #answered(answer: YamlAnswer): void {
    const waiting = this.#waiting.shift()
    if ('json' in answer) waiting?.resolve(answer)
    else waiting?.reject('refused' in answer ? badRequest(answer.refused) : new Error(answer.bug))
    if (this.#waiting.length > 0) return
    this.#idle = setTimeout(() => this.#retire(), IDLE_MS).unref()
  }

  #retire(): void {
    this.#gone()
    void this.#worker.terminate()
  }

  /** The one it was reading was too much for it; the others can try again. */
  #end(error: Error): void {
    this.#gone()
    const [guilty, ...others] = this.#waiting.splice(0)
    guilty?.reject(isOutOfMemory(error) ? tooLarge() : error)
    for (const { reject } of others)
      reject(new StatusError('TooManyRequests', 'reading YAML was interrupted; try again'))
  }
}

const isOutOfMemory = (error: NodeJS.ErrnoException): boolean => error.code === 'ERR_WORKER_OUT_OF_MEMORY'

const tooLarge = (): StatusError =>
  new StatusError('RequestEntityTooLarge', 'the request body takes too much memory to read as YAML; send it as JSON')
