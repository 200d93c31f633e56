/** A stretch of work after which requests are served. */
export const SLICE_MS = 0.5

export interface Sliced {
  /** False when there is nothing to do. */
  readonly step: () => boolean
  /** Whether there may be another step. */
  readonly hasRoom: () => boolean
  readonly giveWay: () => Promise<void>
  /** How long a slice is: at least one step. */
  readonly sliceMs?: number
  /** Slices in all; without end unless given. */
  readonly most?: number
}

/** Works step by step and gives way after every slice. The number of steps. */
export async function inSlices({
  step,
  hasRoom,
  giveWay,
  sliceMs = SLICE_MS,
  most = Infinity,
}: Sliced): Promise<number> {
  let steps = 0
  for (let slice = 0; slice < most; slice++) {
    if (slice > 0) await giveWay()
    const end = performance.now() + sliceMs
    do {
      if (!hasRoom() || !step()) return steps
      steps++
    } while (performance.now() < end)
  }
  return steps
}
