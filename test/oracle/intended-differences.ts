/** Where this server deliberately answers differently from kube-apiserver, and why. */
export interface IntendedDifference {
  readonly ids: readonly string[]
  readonly at: string | RegExp
  readonly why: string
}

export const INTENDED: readonly IntendedDifference[] = []
