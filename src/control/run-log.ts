import type { Log } from '#lib/log.ts'
import type { Item } from './item.ts'
import type { Causes } from './queue.ts'
import type { Next } from './runner.ts'
import type { Written } from './writer.ts'

interface Run {
  readonly item: Item
  readonly causes: Causes
  readonly run: readonly Written[]
  readonly next: Next
}

/** One line per run: why it ran, what it changed. Runs that changed nothing only matter when looking for something. */
export function describeRun(log: Log, { item, causes, run, next }: Run): void {
  if (next.error !== undefined)
    return log.error('planning failed', { object: item.entity, why: why(causes), error: next.error })
  const level = run.length > 0 ? 'info' : 'debug'
  if (!log.writes(level)) return
  log[level]('planned', {
    object: item.entity,
    outcome: next.outcome,
    why: why(causes),
    wrote: run.map((written) => `${written.verb} ${written.entity}`),
  })
}

function why(causes: Causes): readonly string[] {
  const first = causes.first.map((cause) => (cause.entity === undefined ? cause.type : `${cause.type} ${cause.entity}`))
  return causes.count > first.length ? [...first, `${causes.count - first.length} more`] : first
}
