import { Worker } from 'node:worker_threads'
import { StatusError } from '#domain/errors.ts'
import { yamlAside } from '#apiserver/yaml-thread.ts'
import type { Reading } from './read-description.ts'

/** What is smaller is read by the thread that reads YAML anyway: one of its own would take longer to start. */
const SMALL = 64 * 1024
const MOST_WAITING = 16
const SLOWEST_MS = 60_000
const MEGABYTES = 1024

/** Reads descriptions without keeping others waiting: large ones one by one, in a thread with limits. */
export class DescriptionReader {
  readonly #most: number
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(most = MOST_WAITING) {
    this.#most = most
  }

  /** @throws StatusError TooManyRequests, RequestEntityTooLarge */
  async read(bytes: Uint8Array): Promise<Reading> {
    if (bytes.length <= SMALL) return yamlAside('describe', bytes)
    if (this.#waiting >= this.#most)
      throw new StatusError('TooManyRequests', 'too many descriptions at the same time, please try again later', {
        retryAfterSeconds: 5,
      })
    this.#waiting++
    const reading = this.#last.then(() => readAside(bytes))
    this.#last = reading.catch(() => undefined).finally(() => this.#waiting--)
    return reading
  }
}

function readAside(bytes: Uint8Array): Promise<Reading> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('openapi-worker.ts', import.meta.url), {
      workerData: bytes,
      name: 'description',
      resourceLimits: { maxOldGenerationSizeMb: MEGABYTES },
    })
    const timer = setTimeout(() => {
      reject(tooHard())
      void worker.terminate()
    }, SLOWEST_MS)
    worker.once('message', (reading: Reading) => resolve(reading))
    worker.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooHard() : error),
    )
    worker.once('exit', () => {
      clearTimeout(timer)
      reject(tooHard())
    })
  })
}

const tooHard = (): StatusError =>
  new StatusError(
    'RequestEntityTooLarge',
    'the document takes too much time or memory to read: send it as JSON, or smaller',
  )
