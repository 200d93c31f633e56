import { type Op, type Store, StoreUnavailable } from '#store/store.ts'
import { SECRET_ROOT, secretKey } from './keys.ts'
import { secretBox } from './secret-box.ts'

/** No secret is called that: their ids are longer. */
const CHECK = 'check'
const TEXT = 'the secrets of this store'

/** Whether there are secrets that only one key can open. */
export const hasSecrets = (store: Store): boolean => store.count(SECRET_ROOT) > 0

/**
 * Whether this is the key the secrets of the store are sealed with. The first time there is nothing to compare it with:
 * from then on this key is the one.
 */
export async function fitsSecrets(store: Store, key: Uint8Array): Promise<boolean> {
  const box = secretBox(key)
  const known = store.get(secretKey(CHECK))
  if (known !== undefined) return box.open(CHECK, known.value) === TEXT
  const sealed = box.seal(CHECK, TEXT)
  const remember: Op = { type: 'put', key: secretKey(CHECK), expect: 'any', encode: () => sealed }
  // A full disk is no reason not to serve what is there; the next start remembers it.
  await store.transact([remember]).catch((error: unknown) => {
    if (!(error instanceof StoreUnavailable)) throw error
  })
  return true
}
