import type { Threshold } from '#domain/kinds/admin/zone.ts'
import { compareText } from '#domain/object.ts'
import { formatTime, parseDuration, parseTime } from '#domain/time.ts'
import type { World } from './world.ts'

/** A reminder that is due: which threshold, and for which moment of its schedule. */
export interface Reminder {
  readonly threshold: string
  readonly at: string
}

/**
 * The latest reminder of every threshold whose time has come, widest first (platform §1.12).
 *
 * A threshold reminds at `deadline - before` and then every `repeat`, until a closer threshold takes over or the
 * deadline comes. The moments follow from the deadline alone, so nothing has to be remembered: after a long silence only
 * the latest moment counts, and what was told for a moment is not told again.
 */
export function dueReminders(world: World, deadline: string, thresholds: readonly Threshold[]): readonly Reminder[] {
  const end = parseTime(deadline)
  const starts = thresholds
    .map(({ before, repeat }) => ({
      before,
      start: end - parseDuration(before),
      repeat: repeat ? parseDuration(repeat) : 0,
    }))
    .toSorted((a, b) => a.start - b.start || compareText(a.before, b.before))
  return starts.flatMap(({ before, start, repeat }, i) => {
    const until = starts[i + 1]?.start ?? end
    if (until <= start || !world.reached(formatTime(start))) return []
    return [{ threshold: before, at: formatTime(start + latestStep(world, start, repeat, until) * repeat) }]
  })
}

/** The reminder to send now: the one of the closest threshold that has begun. */
export const dueReminder = (world: World, deadline: string, thresholds: readonly Threshold[]): Reminder | undefined =>
  dueReminders(world, deadline, thresholds).at(-1)

/** How many repetitions have come, by halving: a schedule may have millions. */
function latestStep(world: World, start: number, repeat: number, until: number): number {
  if (repeat <= 0) return 0
  let [come, beyond] = [0, Math.ceil((until - start) / repeat)]
  while (beyond - come > 1) {
    const middle = Math.floor((come + beyond) / 2)
    if (world.reached(formatTime(start + middle * repeat))) come = middle
    else beyond = middle
  }
  return come
}
