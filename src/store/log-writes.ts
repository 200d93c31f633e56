import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { WritesTold } from './sqlite-journal.ts'

/** On a disk that is nearly full small writes succeed between large ones: only after this long without a failure it is over. */
const CALM_MS = 2000

export interface WritesLog {
  readonly told: WritesTold
  close(): void
}

/** One line when the store begins to refuse writes and one when it takes them again, however many there are meanwhile. */
export function logWrites(log: Log, clock: Clock): WritesLog {
  let refused = 0
  let calm: (() => void) | undefined
  const wait = (): void => {
    calm?.()
    calm = undefined
  }
  const over = (): void => {
    log.info('the store takes writes again', { part: 'store', refused })
    calm = undefined
    refused = 0
  }
  const told: WritesTold = (failure) => {
    wait()
    if (failure === undefined) calm = clock.setTimer(clock.now() + CALM_MS, over)
    else if (refused++ === 0)
      log.warn('the store refuses writes, and clients are told to try later', {
        part: 'store',
        code: failure.code,
        reason: failure.message,
      })
  }
  return { told, close: wait }
}
