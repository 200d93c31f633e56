import { findCondition, type Verdict } from '#domain/condition.ts'
import type { Resource } from '#domain/object.ts'
import type { Applied, Hands } from './apply.ts'
import type { Bench } from './bench.ts'
import type { Acted } from './effects.ts'
import { Facet } from './facets.ts'
import { conditionsOf, withStatus } from './fold.ts'
import type { Item } from './item.ts'
import type { Written } from './writer.ts'

/**
 * When the stored status says Ready=True and only children keep it from staying so, they get a moment: until then the
 * conditions are left as they are. The end of that moment, or undefined when there is nothing to wait for.
 */
export function graceOf(bench: Bench, item: Item, self: Resource, applied: Applied): number | undefined {
  const wasReady = findCondition(self.status?.conditions, 'Ready')?.status === 'True'
  if (!applied.waitsForChildren || !wasReady) {
    item.unreadySince = undefined
    return undefined
  }
  item.unreadySince ??= bench.clock.now()
  const end = item.unreadySince + bench.graceMs
  return bench.clock.now() < end ? end : undefined
}

/** How long it may go untold, while the engine is busy, that an object is not ready yet. */
const HOLD_MS = 2000
const TOLD_FACETS = (1 << Facet.status) | (1 << Facet.conditions)

/**
 * What an object goes through on its way is told only if it stays there: while the engine is busy, a status that says
 * `not ready` waits, unless somebody reads it. The end of that wait, or undefined when there is nothing to wait for.
 */
export function holdOf(
  bench: Bench,
  item: Item,
  acted: Acted,
  { self, verdicts, run }: NewStatus & { readonly run: readonly Written[] },
): number | undefined {
  const isReady = findCondition(verdicts, 'Ready')?.status !== 'False'
  const wasReady = findCondition(self.status?.conditions, 'Ready')?.status === 'True'
  if (isReady || wasReady || acted.retryAt !== undefined || Object.keys(acted.status).length > 0) return undefined
  const burst = bench.burst()
  if (item.held !== undefined && item.held.burst !== burst) return undefined
  if (run.length === 0 && bench.isAlone()) return undefined
  if (bench.tracker.graph.isReadByOthers(item.entity, TOLD_FACETS, [item.reads, item.watches])) return undefined
  item.held ??= { burst, since: bench.clock.now() }
  const end = item.held.since + HOLD_MS
  return bench.clock.now() < end ? end : undefined
}

export interface NewStatus {
  readonly self: Resource
  readonly status: object
  readonly verdicts: readonly Verdict[]
  /** Leave the conditions as they are. */
  readonly keep?: boolean
}

/** Undefined when the object says so already. */
export function newStatus(bench: Bench, item: Item, { self, status, verdicts, keep }: NewStatus): Resource | undefined {
  const conditions = keep === true ? (self.status?.conditions ?? []) : conditionsOf(self, verdicts, bench.clock.now())
  return withStatus(item.controller.kind, self, status, conditions)
}

export function writeStatus(bench: Bench, item: Item, hands: Hands, next: NewStatus): void {
  const wanted = newStatus(bench, item, next)
  if (wanted !== undefined) hands.writer.updateStatus(item.controller.kind, wanted, hands.run)
}
