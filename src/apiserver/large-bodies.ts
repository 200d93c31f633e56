import { setImmediate } from 'node:timers/promises'

/** What is larger takes milliseconds to read and to check. */
const LARGE = 128 * 1024

let last: Promise<unknown> = Promise.resolve()

/**
 * Large bodies are looked at one by one, each in a turn of the event loop of its own: several that arrive together would hold
 * up everyone else for as long as all of them take. Undefined: it is not large, go on.
 */
export function turnFor(bytes: number): Promise<unknown> | undefined {
  if (bytes <= LARGE) return undefined
  last = last.then(() => setImmediate())
  return last
}
