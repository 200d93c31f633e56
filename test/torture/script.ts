/**
 * What a writer does to its object, by count: it is made, changed, hidden from a selector, shown again, deleted and made again.
 * Everybody can tell from a count alone what happened there, so a watcher knows what it has to see next.
 */
export const exists = (count: number): boolean => count > 0 && count % 10 !== 0

/** Whether a watcher with the selector `shown=yes` sees the object. */
export const shown = (count: number): boolean => exists(count) && Math.floor(count / 3) % 2 === 0

export interface Expected {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** The count at which it happened. */
  readonly at: number
  /** The count in the object: what is gone is shown as it was last. */
  readonly shows: number
}

/** The first event after `count` for a watcher that sees the object at the counts of which `sees` is true. */
export function nextEvent(count: number, sees: (count: number) => boolean): Expected {
  for (let at = count + 1; ; at++) {
    const before = sees(at - 1)
    if (sees(at)) return { type: before ? 'MODIFIED' : 'ADDED', at, shows: at }
    if (before) return { type: 'DELETED', at, shows: at - 1 }
  }
}
