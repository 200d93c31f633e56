import type { ResourceSource, Transaction } from '#source/source.ts'

type Wrap = (transaction: Transaction) => Partial<Transaction>

/** The source with its transactions changed: what `wrap` does not say stays as it is. */
export const aroundTransactions =
  (wrap: Wrap) =>
  (source: ResourceSource): ResourceSource => ({
    ...source,
    begin: () => {
      const inner = source.begin()
      return { ...transactionOf(inner), ...wrap(inner) }
    },
  })

/** The transaction as a plain object, to be spread. */
export const transactionOf = (inner: Transaction): Transaction => ({
  create: (kind, draft) => inner.create(kind, draft),
  update: (kind, resource) => inner.update(kind, resource),
  updateStatus: (kind, resource) => inner.updateStatus(kind, resource),
  delete: (kind, ref, preconditions) => inner.delete(kind, ref, preconditions),
  commit: () => inner.commit(),
})
