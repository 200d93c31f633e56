import { setPriority } from 'node:os'

/** Two steps of politeness cost a quarter of the time each: this leaves a tenth when somebody else wants all of it. */
const NICENESS = 10

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
