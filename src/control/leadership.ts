/** Who may write when several replicas run: at most one at a time, as long as its term lasts. */
export interface Leadership {
  /** Waits for a term; the signal ends it. Undefined when `signal` aborts first. */
  acquire(signal: AbortSignal): Promise<AbortSignal | undefined>
}

/** There is no other replica: one term, for ever. */
export const soleLeader: Leadership = {
  acquire: (signal) => Promise.resolve(signal.aborted ? undefined : new AbortController().signal),
}

/** Runs once per term, never beyond its end. Each term starts from nothing: others have written meanwhile. */
export async function runWhileLeading(
  leadership: Leadership,
  signal: AbortSignal,
  run: (term: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const term = await leadership.acquire(signal)
    if (term === undefined) return
    await run(AbortSignal.any([signal, term]))
  }
}
