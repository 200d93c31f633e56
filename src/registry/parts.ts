import type { Clock } from '#lib/clock.ts'
import type { IndexedKinds } from './kind-table.ts'
import type { Shelf } from './list.ts'
import type { SecretVault } from './secrets.ts'

/** What the operations of the registry share. */
export interface Parts extends Shelf {
  readonly clock: Clock
  readonly kinds: IndexedKinds
  readonly vault: SecretVault
}

/** RFC 3339 to the second, as Kubernetes stamps objects. */
export const stamp = (clock: Clock): string => `${new Date(clock.now()).toISOString().slice(0, 19)}Z`
