import type { Kind } from './kind.ts'
import type { Named } from './object.ts'

const OWNER = /^\$<([^/<>]+)\/([^/<>]*)\/([^/<>]+)\/[^<>]+>$/u

/**
 * Whether the secret that a reference found in an object stands for is kept with another one. It was given by that one,
 * and ends when that one gives it no longer. A reference that does not say whose it is counts as the object's own.
 */
export function isBorrowed(reference: string | undefined, { kind }: Kind, { namespace, name }: Named): boolean {
  const owner = OWNER.exec(reference ?? '')
  return owner !== null && !(owner[1] === kind && owner[2] === namespace && owner[3] === name)
}
