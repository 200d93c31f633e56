import { setPriority } from 'node:os'

/** Leaves a quarter of a core when one who is not as polite wants all of it: enough to come to an end. */
const NICENESS = 5

/**
 * Makes the thread that calls it step back for the one that serves everybody, on machines with fewer cores than busy threads.
 * Elsewhere than on Linux this would be about the whole process.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(NICENESS)
  } catch {
    // Whoever may not do that shares as before.
  }
}
