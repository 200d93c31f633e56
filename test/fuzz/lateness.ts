import { existsSync, readFileSync } from 'node:fs'

export const TICK_MS = 10
/** Less is not worth a line. */
export const NOTED_MS = 15

/** One time the event loop was late; all in milliseconds. */
export interface LateTurn {
  /** When it was over, for whoever wants to know what else happened then. */
  readonly at: string
  readonly late: number
  /** The main thread's own CPU time: what it did. */
  readonly cpu: number
  /** The time it was ready to run, but somebody else ran. */
  readonly waited: number
  /** CPU time of the other threads of the same process meanwhile: they may be who it waited for. */
  readonly others: number
  /** The time that one of those was ready to run, but somebody else ran; the longest of them. */
  readonly othersWaited: number
}

/**
 * How much of the lateness is the server's own doing. What the main thread waited for the processor is not, except for as long
 * as other threads of the server ran. What it neither computed nor waited for the processor is: it is waiting for a disk, a pipe
 * or a lock; except for as long as another thread of the server, which it may be waiting for (the collector's), waited for the
 * processor. What it computed always is.
 */
export function ownLateness({ late, cpu, waited, others, othersWaited }: LateTurn): number {
  const asleep = Math.max(0, late - cpu - waited)
  const machine = Math.max(0, waited - others) + Math.min(asleep, othersWaited)
  return Math.max(Math.min(late, cpu), late - machine)
}

export interface Lateness {
  /** How many were written down, those that were skipped included. */
  readonly turns: number
  /** The longest, whoever was to blame. */
  readonly longest: number
  /** The longest that was the server's own doing, and the turn it was in. */
  readonly own: number
  readonly worst: LateTurn | undefined
}

/** What the probe has written down so far, without the first ones. */
export function readLateness(path: string, skipped = 0): Lateness {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
  const turns = lines.slice(skipped).map((line) => JSON.parse(line) as LateTurn)
  const worst = turns.toSorted((a, b) => ownLateness(b) - ownLateness(a))[0]
  return {
    turns: lines.length,
    longest: Math.round(Math.max(0, ...turns.map(({ late }) => late))),
    own: worst === undefined ? 0 : Math.round(ownLateness(worst)),
    worst,
  }
}
