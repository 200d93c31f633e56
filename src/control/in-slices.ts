/** A stretch of work after which requests are served. */
const SLICE_MS = 0.5

export interface Sliced {
  /** False when there is nothing to do. */
  readonly step: () => boolean
  /** Whether there may be another step. */
  readonly hasRoom: () => boolean
  readonly giveWay: () => Promise<void>
  /** Slices in all; without end unless given. */
  readonly most?: number
}

/** Works step by step and gives way after every slice. The number of steps. */
export async function inSlices({ step, hasRoom, giveWay, most = Infinity }: Sliced): Promise<number> {
  let steps = 0
  for (let slice = 0; slice < most; slice++) {
    if (slice > 0) await giveWay()
    const end = performance.now() + SLICE_MS
    do {
      if (!hasRoom() || !step()) return steps
      steps++
    } while (performance.now() < end)
  }
  return steps
}
