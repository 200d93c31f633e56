import type { EventConfigStatus } from './event-zones.ts'
import type { Obstacle } from './obstacle.ts'
import type { Child, ChildRef } from './plan.ts'

/** What one family of an EventConfig's children comes to. */
export interface Part {
  readonly children: readonly Child[]
  readonly keep: readonly ChildRef[]
  readonly status: EventConfigStatus
  /** What someone else has to put right. */
  readonly obstacles: readonly Obstacle[]
  /** What is under way by itself. */
  readonly pending: readonly string[]
  /** What is amiss elsewhere and does not stop this zone (decisions §4.3). */
  readonly notes: readonly string[]
}

const NOTHING: Part = { children: [], keep: [], status: {}, obstacles: [], pending: [], notes: [] }

export const part = (some: Partial<Part>): Part => ({ ...NOTHING, ...some })

export function join(parts: readonly Part[]): Part {
  return {
    children: parts.flatMap((p) => p.children),
    keep: parts.flatMap((p) => p.keep),
    status: Object.assign({}, ...parts.map((p) => p.status)) as EventConfigStatus,
    obstacles: parts.flatMap((p) => p.obstacles),
    pending: parts.flatMap((p) => p.pending),
    notes: [...new Set(parts.flatMap((p) => p.notes))],
  }
}
