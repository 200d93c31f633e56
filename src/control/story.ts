import { findCondition } from '#domain/condition.ts'
import type { Condition, Resource } from '#domain/object.ts'

/** Which part of an object's story is told as Events. */
export type Extent = 'everything' | 'outside' | 'nothing'

/** What an object says of itself now: why it is still there once it is to go, whether it is ready otherwise. */
export const sayingOf = ({ status }: Resource): Condition | undefined =>
  findCondition(status?.conditions, 'Terminating') ?? findCondition(status?.conditions, 'Ready')

/** Whether something outside the store could not be made true, or undone. */
export const failsOutside = ({ status }: Resource): boolean =>
  findCondition(status?.conditions, 'Applied')?.status === 'False'

/** People are asked and will answer: nothing is wrong. */
const ASKED = new Set(['ApprovalPending', 'Pending'])

/**
 * Whether what an object says is a warning. It is when the object is not ready and an effect outside fails, access is
 * denied, or it does not go on by itself: Processing is False without being done, as when it is blocked or in error. What
 * is under way (Processing is True), what waits for a decision and what was decided (Done) is normal.
 */
export function isTrouble(resource: Resource): boolean {
  const conditions = resource.status?.conditions
  const ready = findCondition(conditions, 'Ready')
  if (ready === undefined || ready.status === 'True') return false
  if (failsOutside(resource) || ready.reason === 'AccessDenied') return true
  const processing = findCondition(conditions, 'Processing')
  return processing?.status === 'False' && processing.reason !== 'Done' && !ASKED.has(ready.reason)
}

/**
 * Whether a change is worth an Event: the object says something else than before, in whatever words. A message may change
 * while status and reason stay, and then another thing is in the way. Of kinds that only act for others (`outside`) just
 * what nobody else sees is told: that the outside fails, how, and that it does not any more.
 */
export function isNews(before: Resource, after: Resource, extent: Extent): boolean {
  if (extent === 'nothing') return false
  if (extent === 'outside' && !failsOutside(before) && !failsOutside(after)) return false
  const was = sayingOf(before)
  const says = sayingOf(after)
  return (
    says !== undefined &&
    (was?.type !== says.type ||
      was.status !== says.status ||
      was.reason !== says.reason ||
      was.message !== says.message)
  )
}
