import { StatusError } from '#domain/errors.ts'
import { StoreUnavailable, type Op, type Outcome, type Store } from '#store/store.ts'

/** @throws StatusError ServiceUnavailable when the store cannot make the write durable; nothing of it happened then */
export const transact = (store: Store, ops: readonly Op[]): Promise<Outcome> => clearly(store.transact(ops))

/** The same for several transactions, all of them or none. */
export const transactAll = (store: Store, transactions: readonly (readonly Op[])[]): Promise<Outcome> =>
  clearly(store.transactAll(transactions))

async function clearly(outcome: Promise<Outcome>): Promise<Outcome> {
  try {
    return await outcome
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    const message =
      'the server cannot store anything right now, so nothing was changed; reading works, and writing will again: try later'
    throw new StatusError('ServiceUnavailable', message, { retryAfterSeconds: 1 })
  }
}
