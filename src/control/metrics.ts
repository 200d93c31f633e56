import type { CauseType } from './tracker.ts'

/** What the engine counts, per kind. Whoever shows it implements this. */
export interface ControlMetrics {
  /** Objects waiting for their turn, of all kinds. */
  depth(objects: number): void
  run(kind: string, seconds: number): void
  requeue(kind: string, cause: CauseType): void
  write(kind: string, verb: WriteVerb): void
  /** A plan or a write that failed; conflicts are not failures. */
  error(kind: string): void
  /** A plan stopped because it undid itself. */
  cycle(kind: string): void
}

export type WriteVerb = 'create' | 'update' | 'updateStatus' | 'delete'

export const NO_METRICS: ControlMetrics = {
  depth: () => {},
  run: () => {},
  requeue: () => {},
  write: () => {},
  error: () => {},
  cycle: () => {},
}
