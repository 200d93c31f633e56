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

let lastSecond = -1
let lastStamp = ''

/** RFC 3339 to the second, as Kubernetes stamps objects; the text is made once per second and not once per object. */
export function stamp(clock: Clock): string {
  const second = Math.floor(clock.now() / 1000)
  if (second !== lastSecond) {
    lastSecond = second
    lastStamp = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`
  }
  return lastStamp
}
