import type { Difference } from './compare.ts'
import { INTENDED, type IntendedDifference } from './intended-differences.ts'

export interface Reviewed {
  readonly intended: readonly Difference[]
  readonly unexpected: readonly Difference[]
  /** Entries of the list that no difference needed: they hide whatever comes next and have to go. */
  readonly stale: readonly IntendedDifference[]
}

export function review(differences: readonly Difference[]): Reviewed {
  const covering = (d: Difference): IntendedDifference | undefined => INTENDED.find((entry) => covers(entry, d))
  const used = new Set(differences.map(covering))
  return {
    intended: differences.filter((d) => covering(d) !== undefined),
    unexpected: differences.filter((d) => covering(d) === undefined),
    stale: INTENDED.filter((entry) => !used.has(entry)),
  }
}

const covers = ({ ids, at, when }: IntendedDifference, difference: Difference): boolean =>
  (ids === 'any' || ids.includes(difference.id)) &&
  (typeof at === 'string' ? at === difference.at : at.test(difference.at)) &&
  when?.(difference) !== false
